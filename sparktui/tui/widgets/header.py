"""The header: who is measured, and the state. Fields drop whole as the width shrinks; the state never does."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from textual.strip import Strip

from sparktui.core.events import MemoryNow
from sparktui.core.figures.phase import Phase
from sparktui.core.records import ServerInfo
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink, Line, cells, cut
from sparktui.tui.live.states import Source, state_of
from sparktui.tui.widgets.painted import Painted

_DROPPED_FIRST = ("sentence", "draft", "ctx", "mem", "kind", "model", "address", "badge")
_DEMO_SENTENCE = "simulated, nothing here is measured"
_TIGHT = ("badge", "kind")
_SOME = ("badge", "demo", "sentence", "kind", "address", "tls", "model")
_LEAST_CHANGE_BYTES = 100_000_000


class HeaderView(Struct, frozen=True, kw_only=True):
    """What a header shows. `address` is used until the server is known; `run` names the run on small screens."""

    phase: Phase
    info: ServerInfo | None = None
    address: str = ""
    memory: MemoryNow | None = None
    paused: bool = False
    source: Source = "live"
    fields: Literal["all", "some", "run"] = "all"
    run: str = ""


class Header(Painted):
    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view: HeaderView | None = None
        self._used_bytes: int | None = None

    def show(self, view: HeaderView) -> None:
        if view.memory is not None and abs(view.memory.used - (self._used_bytes or 0)) >= _LEAST_CHANGE_BYTES:
            self._used_bytes = view.memory.used
        if view != self._view:
            self._view = view
            self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        view = self._view
        line = Line(width, self.roles.style("muted", "head"))
        if view is None:
            line.put(0, (" sparktui ", self.roles.block("accent")))
        elif view.fields == "run":
            self._small(line, view)
        else:
            self._full(line, view)
        return [line.strip()]

    def _small(self, line: Line, view: HeaderView) -> None:
        glyph, words, role = state_of(view.phase, view.source)
        help_ink: list[Ink] = [("?", self.roles.style("accent", "head", bold=True)), (" help", self.roles.style("muted", "head"))]
        limit = line.end(-2, *help_ink) - 1 if line.width >= 24 else line.width
        x = line.put(1, (glyph, self.roles.style(role, "head", bold=True))) + 1
        demo = view.info is not None and view.info.kind == "demo"
        if demo and x + 5 < limit:
            x = line.put(x, (" DEMO ", self.roles.block("burst"))) + 1
        calm = view.phase.name in ("generating", "done")
        line.put(x, (cut(view.run if calm and view.run else words, limit - x), self.roles.style("text", "head", bold=True)))

    def _full(self, line: Line, view: HeaderView) -> None:
        gap = 3 if view.fields == "all" else 2
        state = self._state(view)
        fields = self._fields(view)
        if view.fields == "some":
            fields = {name: inks for name, inks in fields.items() if name in _SOME}
        for name in _DROPPED_FIRST:
            if _needed(fields, gap) + 1 + cells(state) + 1 <= line.width:
                break
            fields.pop(name, None)
        line.end(-2, *self._with_memory(fields.pop("mem", []), state, gap))
        x = 0
        for name, inks in fields.items():
            x = line.put(x, *inks) + (1 if name in _TIGHT else gap)

    def _with_memory(self, memory: list[Ink], state: list[Ink], gap: int) -> list[Ink]:
        return [*memory, (" " * gap, self.roles.style("muted", "head")), *state] if memory else state

    def _state(self, view: HeaderView) -> list[Ink]:
        glyph, words, role = state_of(view.phase, view.source)
        inks: list[Ink] = [(f"{glyph} {words}", self.roles.style(role, "head", bold=True))]
        if view.paused:
            inks.insert(0, ("‖ paused  ", self.roles.style("burst", "head", bold=True)))
        return inks

    def _fields(self, view: HeaderView) -> dict[str, list[Ink]]:
        muted, text = self.roles.style("muted", "head"), self.roles.style("text", "head")
        bold = self.roles.style("text", "head", bold=True)
        fields: dict[str, list[Ink]] = {"badge": [(" sparktui ", self.roles.block("accent"))]}
        info = view.info
        if info is not None and info.kind == "demo":
            fields["demo"] = [(" DEMO SERVER ", self.roles.block("burst"))]
            fields["sentence"] = [(_DEMO_SENTENCE, muted)]
        elif info is None:
            if view.address:
                fields["address"] = [(shown(view.address), text)]
        else:
            fields["kind"] = [(shown(info.kind), muted)]
            fields["address"] = [(shown(_short(info.base_url)), text)]
            if not info.tls_verified:
                fields["tls"] = [("! TLS not verified", self.roles.style("burst", "head", bold=True))]
            if info.model:
                fields["model"] = [(cut(shown(info.model), 40), bold)]
            if info.ctx is not None:
                fields["ctx"] = [(f"ctx {numbers.context(info.ctx)}", muted)]
            if info.draft:
                fields["draft"] = [(cut(shown(info.draft if "draft" in info.draft else f"{info.draft} draft"), 24), muted)]
        if view.memory is not None and self._used_bytes is not None:
            total = numbers.gigabytes(view.memory.total)
            fields["mem"] = [("mem ", muted), (numbers.gigabytes_number(self._used_bytes), text), (f" / {total}", muted)]
        return fields


def _short(base_url: str) -> str:
    """Host and port; https is worth naming."""
    return base_url.removeprefix("http://").rstrip("/")


def _needed(fields: dict[str, list[Ink]], gap: int) -> int:
    return sum(cells(inks) + (1 if name in _TIGHT else gap) for name, inks in fields.items())
