"""From the bytes of a log to its records: lines, carrier, un-wrapping, the server's grammar, secrets and control characters. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparktui.core.log.envelope import Envelope
from sparktui.core.log.loghead import Family, plain_file_lines
from sparktui.core.log.loglines import LineSplitter
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.log.plainlines import PlainLines
from sparktui.core.log.unwrap import PROMPT_DUMP, RawRecord, Unwrapper
from sparktui.errors import UsageError
from sparktui.servers.grammar_base import Found, Grammar
from sparktui.servers.grammar_llamacpp import LlamaGrammar
from sparktui.servers.grammar_ollama import OllamaGrammar
from sparktui.servers.grammar_sglang import SglangGrammar
from sparktui.servers.grammar_tabbyapi import TELLING, TabbyGrammar
from sparktui.servers.grammar_vllm import VllmGrammar
from sparktui.servers.logclean import LogCleaner, shapes_of

GRAMMARS = ("auto", "tabbyapi", "llamacpp", "vllm", "sglang", "ollama")

_CLASSES: dict[str, type[Grammar]] = {
    "llamacpp": LlamaGrammar, "vllm": VllmGrammar, "sglang": SglangGrammar, "ollama": OllamaGrammar,
}  # fmt: skip
_HEADS: dict[str, frozenset[Family]] = {
    "auto": frozenset(), "tabbyapi": frozenset({"tabbyapi", "levelled"}), "llamacpp": frozenset({"llamacpp"}),
    "vllm": frozenset({"vllm", "levelled"}), "sglang": frozenset({"sglang"}), "ollama": frozenset({"ollama"}),
}  # fmt: skip
_NOTHING = Found()
_FEW_LINES = 8
_PLAIN = plain_file_lines(f"{TELLING}|{PROMPT_DUMP}")
_Told = tuple[str, str, str, Found]
"""Text, clock and level of a record, and what it says."""


class LogReader:
    """One log as a stream of records, numbered from 1. Feeding it whole or in pieces gives the same records.

    Several byte channels (stdout and stderr of a command) are kept apart, and inside them the streams of a carrier (a container, a unit).
    `grammar` fixes the server's grammar ("auto" finds it by the record heads; raises UsageError for an unknown name);
    `secrets` are masked wherever they stand, known key forms always. `telling` counts the records that say more than their text.
    """

    def __init__(self, grammar: str = "auto", secrets: Sequence[str] = ()) -> None:
        if grammar not in GRAMMARS:
            raise UsageError(f"There is no log grammar {grammar!r}.", hint=f"one of: {', '.join(GRAMMARS)}")
        self._grammar = grammar
        self._cleaner = LogCleaner(secrets)
        self._channels: dict[str, _Channel] = {}
        self._count = 0
        self.telling = 0

    @property
    def seen(self) -> int:
        """Records given so far."""
        return self._count

    @property
    def waiting(self) -> bool:
        """Whether a record waits for more lines, and `quiet` would give it."""
        return any(channel.waiting for channel in self._channels.values())

    @property
    def partial(self) -> bool:
        """Whether a line has begun that has no end yet."""
        return any(channel.lines.partial for channel in self._channels.values())

    def begin(self, channel: str = "", *, mid_file: bool = False, keep_partial: bool = True) -> list[LogRecord]:
        """A new file (or a new run of the command) begins on this channel. Gives what was left of the old one; a begun line is dropped
        when its file was truncated (`keep_partial` False). `mid_file`: reading starts inside the file, at the start of a line."""
        old = self._channels.pop(channel, None)
        self._channels[channel] = _Channel(self._grammar, mid_file)
        return self._finish(old, keep_partial) if old else []

    def feed(self, data: bytes, channel: str = "") -> list[LogRecord]:
        """The records that are whole now."""
        records, plain = self.take(data, channel)
        return records if plain is None else records + plain.records()

    def take(self, data: bytes, channel: str = "") -> tuple[list[LogRecord], PlainLines | None]:
        """As `feed`, but of a burst of plain lines what is quick to hand on: the records, and the lines that follow them unread."""
        known = self._channels.get(channel)
        if known is None:
            known = self._channels[channel] = _Channel(self._grammar, False)
        block = known.lines.block(data)
        if block is None:
            return [], None
        plain = self._plain(known, block)
        if plain is not None:
            first, rest = plain.parted()
            return [first], rest
        return self._records(known.read(block.split("\n"))), None

    def _plain(self, channel: _Channel, block: str) -> PlainLines | None:
        """Many lines of which each is a record that says no more than its text, with nothing to clean: they stay as they are."""
        count = block.count("\n") + 1
        shapes = shapes_of(block) if count >= _FEW_LINES and channel.bare else None
        if shapes is None or not _PLAIN.fullmatch(shapes) or not self._cleaner.is_clean(block, shapes):
            return None
        if not channel.pass_by(block[block.rfind("\n") + 1 :]):
            return None
        self._count += count
        return PlainLines(first=self._count - count + 1, count=count, lines=block)

    def quiet(self) -> list[LogRecord]:
        """Nothing came for a while: gives the records that waited for a further line."""
        out: list[LogRecord] = []
        for channel in self._channels.values():
            out += self._records(channel.quiet())
        return out

    def end(self) -> list[LogRecord]:
        """The input has ended: gives all that is left, a last line without LF included."""
        out: list[LogRecord] = []
        for channel in self._channels.values():
            out += self._finish(channel, True)
        return out

    def _finish(self, channel: _Channel, keep_partial: bool) -> list[LogRecord]:
        if not keep_partial:
            channel.lines.discard()
        return self._records(channel.read(channel.lines.end())) + self._records(channel.quiet())

    def _records(self, told: list[_Told]) -> list[LogRecord]:
        if not told:
            return []
        texts = self._cleaner.clean([text for text, _, _, _ in told])
        first = self._count + 1
        self._count += len(told)
        self.telling += sum(found is not _NOTHING for _, _, _, found in told)
        return [
            LogRecord(n=n, text=text, time=time, level=level)
            if found is _NOTHING else LogRecord(
                n=n, text=text, time=time, level=level, generation=found.generation,
                started=found.started, ended=found.ended, cancelled=found.cancelled,
            )
            for n, text, (_, time, level, found) in zip(range(first, first + len(told)), texts, told, strict=True)
        ]  # fmt: skip


class _Channel:
    """The bytes of one pipe or file, and the streams its carrier puts into it."""

    def __init__(self, grammar: str, mid_file: bool) -> None:
        self.lines = LineSplitter()
        self._grammar = grammar
        self._mid_file = mid_file
        self._envelope = Envelope()
        self._streams: dict[str, _Stream] = {}

    @property
    def waiting(self) -> bool:
        return any(stream.waiting for stream in self._streams.values())

    @property
    def bare(self) -> bool:
        """Whether the lines are a server's as it wrote them."""
        return self._envelope.shape == "bare"

    def pass_by(self, last_line: str) -> bool:
        return self._stream("").pass_by(last_line)

    def read(self, lines: Sequence[str]) -> list[_Told]:
        if self._envelope.shape == "bare":
            return self._stream("").read(lines)
        out: list[_Told] = []
        batch: list[str] = []
        current = ""
        for line in lines:
            opened = self._envelope.open(line)
            if opened is None:
                continue
            if opened[0] != current and batch:
                out += self._stream(current).read(batch)
                batch = []
            current = opened[0]
            batch.append(opened[1])
        return out + self._stream(current).read(batch) if batch else out

    def quiet(self) -> list[_Told]:
        return [told for stream in self._streams.values() for told in stream.quiet()]

    def _stream(self, name: str) -> _Stream:
        if name not in self._streams:
            self._streams[name] = _Stream(self._grammar, self._mid_file)
        return self._streams[name]


class _Stream:
    """The lines of one server: records, and what each says."""

    def __init__(self, grammar: str, mid_file: bool) -> None:
        tabby = TabbyGrammar()
        self._unwrapper = Unwrapper(mid_file=mid_file, is_whole=tabby.is_whole, families=_HEADS[grammar])
        self._grammars: dict[str, Grammar] = {"tabbyapi": tabby, "levelled": tabby}
        self._fixed: Grammar | None = None if grammar == "auto" else self._grammar(grammar)
        self._held: _Told | None = None

    @property
    def waiting(self) -> bool:
        return self._unwrapper.pending or self._held is not None

    def pass_by(self, last_line: str) -> bool:
        """Whether whole plain records of a file log may go by without being fed, and then they have."""
        return self._held is None and self._unwrapper.pass_by(last_line)

    def read(self, lines: Iterable[str]) -> list[_Told]:
        return self._tell(self._unwrapper.feed(lines))

    def quiet(self) -> list[_Told]:
        out = self._tell(self._unwrapper.quiet())
        if self._held is not None:
            out.append(self._held)
            self._held = None
        return out

    def _tell(self, raws: list[RawRecord]) -> list[_Told]:
        out = []
        for raw in raws:
            grammar = self._fixed or self._grammars.get(raw.family)
            found = grammar.read(raw.text, raw.starts) if grammar is not None else self._first_read(raw)
            if self._held is not None:
                out.append(self._released(found))
            told = raw.text, raw.time, raw.level, found or _NOTHING
            if found is not None and found.hold:
                self._held = told
            else:
                out.append(told)
        return out

    def _released(self, following: Found | None) -> _Told:
        """The held record, without its generation when the next record tells the same one with more figures."""
        assert self._held is not None
        text, time, level, found = self._held
        self._held = None
        again = following.generation if following else None
        same = again is not None and found.generation is not None and again.task == found.generation.task
        return text, time, level, _NOTHING if same else found

    def _first_read(self, raw: RawRecord) -> Found | None:
        if raw.family:
            return self._grammar(raw.family).read(raw.text, raw.starts)
        return self._try_all(raw) if raw.starts else None

    def _try_all(self, raw: RawRecord) -> Found | None:
        """No head says whose log this is: the first grammar that knows the line. The llama.cpp one also follows its open blocks."""
        for name in ("llamacpp", "tabbyapi", "vllm", "sglang", "ollama"):
            found = self._grammar(name).read(raw.text, True)
            if found is not None:
                return found
        return None

    def _grammar(self, name: str) -> Grammar:
        grammar = self._grammars.get(name)
        if grammar is None:
            grammar = self._grammars[name] = _CLASSES[name]()
        return grammar
