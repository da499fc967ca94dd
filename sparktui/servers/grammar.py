"""From the bytes of a log to its records: lines, carrier, un-wrapping, the server's grammar, secrets and control characters. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparktui.core.log.envelope import Envelope
from sparktui.core.log.loghead import Family
from sparktui.core.log.loglines import LineSplitter
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.log.unwrap import RawRecord, Unwrapper
from sparktui.core.scrub import mask_secrets, scrub
from sparktui.errors import UsageError
from sparktui.servers.grammar_base import Found, Grammar
from sparktui.servers.grammar_llamacpp import LlamaGrammar
from sparktui.servers.grammar_ollama import OllamaGrammar
from sparktui.servers.grammar_sglang import SglangGrammar
from sparktui.servers.grammar_tabbyapi import TabbyGrammar
from sparktui.servers.grammar_vllm import VllmGrammar

GRAMMARS = ("auto", "tabbyapi", "llamacpp", "vllm", "sglang", "ollama")
TEXT_LIMIT_CHARACTERS = 8192

_CLASSES: dict[str, type[Grammar]] = {
    "llamacpp": LlamaGrammar, "vllm": VllmGrammar, "sglang": SglangGrammar, "ollama": OllamaGrammar,
}  # fmt: skip
_HEADS: dict[str, frozenset[Family]] = {
    "auto": frozenset(), "tabbyapi": frozenset({"tabbyapi", "levelled"}), "llamacpp": frozenset({"llamacpp"}),
    "vllm": frozenset({"vllm", "levelled"}), "sglang": frozenset({"sglang"}), "ollama": frozenset({"ollama"}),
}  # fmt: skip
_NOTHING = Found()
# what every form of secret that core.masking knows has in it; the word "tokens" is taken out first, it is in half of all lines
_SUSPICIOUS = (
    "key", "token", "bearer", "basic ", "authori", "passw", "pwd", "secret", "cookie", "://", "k-", "k_", "hf", "ghp", "gho", "glpat",
    "xox",
)  # fmt: skip
_PRINTABLE = bytes(range(0x20, 0x7F))


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
        self._secrets = tuple(secret for secret in secrets if secret)
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
        known = self._channels.get(channel)
        if known is None:
            known = self._channels[channel] = _Channel(self._grammar, False)
        return self._records(known.read(known.lines.feed(data)))

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

    def _records(self, told: list[tuple[RawRecord, Found]]) -> list[LogRecord]:
        texts = self._clean([raw.text for raw, _ in told])
        first = self._count + 1
        self._count += len(told)
        self.telling += len(told) - sum(found is _NOTHING for _, found in told)
        return [
            LogRecord(
                n=n, text=text, time=raw.time, level=raw.level, generation=found.generation,
                started=found.started, ended=found.ended, cancelled=found.cancelled,
            )
            if found is not _NOTHING else LogRecord(n=n, text=text, time=raw.time, level=raw.level)
            for n, text, (raw, found) in zip(range(first, first + len(told)), texts, told, strict=True)
        ]  # fmt: skip

    def _clean(self, texts: list[str]) -> list[str]:
        """Secrets masked, control characters out, length bounded. Whole batches are looked at first: most hold nothing to clean."""
        together = " ".join(texts)
        lower = together.lower().replace("tokens", "")
        if self._secrets or any(sign in lower for sign in _SUSPICIOUS):
            texts = [mask_secrets(text, self._secrets) for text in texts]
        if not together.isascii() or together.encode().translate(None, _PRINTABLE):
            texts = [text if text.isprintable() else scrub(text, keep_newlines=False) for text in texts]
        if len(together) > TEXT_LIMIT_CHARACTERS:
            texts = [text if len(text) <= TEXT_LIMIT_CHARACTERS else _shortened(text) for text in texts]
        return texts


def _shortened(text: str) -> str:
    return f"{text[:TEXT_LIMIT_CHARACTERS]} … ({len(text) - TEXT_LIMIT_CHARACTERS:,} more characters)"


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

    def read(self, lines: Sequence[str]) -> list[tuple[RawRecord, Found]]:
        if self._envelope.shape == "bare":
            return self._stream("").read(lines)
        out: list[tuple[RawRecord, Found]] = []
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

    def quiet(self) -> list[tuple[RawRecord, Found]]:
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
        self._held: tuple[RawRecord, Found] | None = None

    @property
    def waiting(self) -> bool:
        return self._unwrapper.pending or self._held is not None

    def read(self, lines: Iterable[str]) -> list[tuple[RawRecord, Found]]:
        return self._tell(self._unwrapper.feed(lines))

    def quiet(self) -> list[tuple[RawRecord, Found]]:
        out = self._tell(self._unwrapper.quiet())
        if self._held is not None:
            out.append(self._held)
            self._held = None
        return out

    def _tell(self, raws: list[RawRecord]) -> list[tuple[RawRecord, Found]]:
        out = []
        for raw in raws:
            grammar = self._fixed or self._grammars.get(raw.family)
            found = grammar.read(raw.text, raw.starts) if grammar is not None else self._first_read(raw)
            if self._held is not None:
                out.append(self._released(found))
            if found is None:
                out.append((raw, _NOTHING))
            elif found.hold:
                self._held = raw, found
            else:
                out.append((raw, found))
        return out

    def _released(self, following: Found | None) -> tuple[RawRecord, Found]:
        """The held record, without its generation when the next record tells the same one with more figures."""
        assert self._held is not None
        raw, found = self._held
        self._held = None
        again = following.generation if following else None
        same = again is not None and found.generation is not None and again.task == found.generation.task
        return raw, _NOTHING if same else found

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
