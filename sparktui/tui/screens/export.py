"""The export dialog: what, where, which format, with which texts; the result or the reason stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from sparktui.core.records import RunRecord
from sparktui.errors import SparkError
from sparktui.io.atomic import check_writable, safe_name, write_atomic
from sparktui.report.export import FORMATS, default_name, format_of, render
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.history.export_job import ExportJob
from sparktui.tui.history.export_scopes import Scope
from sparktui.tui.runview.run_page import text_of
from sparktui.tui.screens.ask_line import AskLine
from sparktui.tui.widgets.choice import Choice
from sparktui.tui.widgets.dialog_lines import DialogLines, FieldName, Pieces
from sparktui.tui.widgets.line_input import LineInput

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp
    from sparktui.tui.screens.page import PageScreen

_WIDEST = 84
_KEYS = "enter writes   tab next field   ← → change   esc back"
_ABOUT = {
    "md": "tables for people, in the layout of the published ones", "csv": "one run a row, for spreadsheets",
    "json": "runs and cells in one document", "jsonl": "one run a line",
}  # fmt: skip
_ON_OFF = ("no", "yes")


class ExportScreen(ModalScreen[None]):
    """Writes here, whatever machine measures. `here_only`: no history can be asked, this session's runs are all there is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False), Binding("enter", "write", show=False), Binding("tab,down", "app.focus_next", show=False),
        Binding("shift+tab,up", "app.focus_previous", show=False),
    ]  # fmt: skip
    AUTO_FOCUS = "LineInput"
    CSS = """
    ExportScreen { align: center middle; background: $background 60%; }
    ExportScreen #dialog { background: $surface; height: auto; }
    ExportScreen Choice { background: $surface; }
    ExportScreen Horizontal { height: 1; background: $surface; }
    """

    def __init__(self, scopes: Sequence[Scope], *, here_only: bool = False) -> None:
        super().__init__()
        self._scopes = list(scopes)
        self._here_only = here_only
        self._named = ""
        self._job: ExportJob | None = None
        self._busy = False

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield DialogLines(id="title")
            yield Choice("what", [scope.text for scope in self._scopes], id="what")
            with Horizontal():
                yield FieldName("file")
                yield LineInput(id="path")
            yield Choice("format", FORMATS, id="format")
            yield Choice("timeline", _ON_OFF, note="every chunk's time, kind, characters, tokens (json, jsonl)", id="timeline")
            yield Choice("texts", _ON_OFF, 1, note="prompts and answers (json, jsonl, csv; answers in md)", id="texts")
            yield Choice("replace", _ON_OFF, note="a file of that name", id="replace")
            yield DialogLines(id="result")

    def on_mount(self) -> None:
        self.query_one("#title", DialogLines).show([("Export", "text", True)], head=True)
        self._name_file()
        self._tell([(_KEYS, "muted", False)])
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def on_choice_changed(self, event: Choice.Changed) -> None:
        if event.sender.id == "what":
            self._name_file()
        elif event.sender.id == "format":
            path = self._path
            stem = path.value[: -len(Path(path.value).suffix)] if Path(path.value).suffix else path.value
            path.value = self._named = f"{stem}.{event.sender.value}"
        self._describe()

    def on_input_changed(self, event: Input.Changed) -> None:
        suffix = Path(event.value).suffix.lstrip(".").lower()
        if suffix in FORMATS:
            self._choice("format").choose(FORMATS.index(suffix))
        self._describe()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_write()

    def action_leave(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self.dismiss(None)

    def action_write(self) -> None:
        """Check the path, collect the runs, write."""
        if self._busy:
            return
        force = self._on("replace")
        try:
            format = format_of(self._path.value)
            path = check_writable(self._path.value, force=force)
        except SparkError as error:
            self._refused(error)
            return
        self._busy = True
        self._job = ExportJob(
            self._spark, self._scopes[self._choice("what").at], timeline=self._on("timeline"), text=self._on("texts") or format == "md",
            here_only=self._here_only, progress=self._progress, failed=self._failed,
            finished=lambda runs: self._write(path, format, runs, force),
        )  # fmt: skip
        self._job.start()

    def _write(self, path: Path, format: str, runs: Sequence[RunRecord], force: bool) -> None:
        self._tell([(f"writing {len(runs):,} runs …", "muted", False)])
        timeline, texts = self._on("timeline"), self._on("texts")

        def work() -> None:
            try:
                data = render(runs, None, format, timeline=timeline, text=texts, answers=texts and format == "md")
                written = write_atomic(path, data, force=force)
            except SparkError as error:
                self.app.call_from_thread(self._refused, error)
                return
            self.app.call_from_thread(self._done, written, len(runs), len(data))

        self.run_worker(work, thread=True, exit_on_error=False)

    def _done(self, path: Path, runs: int, size: int) -> None:
        self._busy, self._job = False, None
        said = f"{runs:,} run{'s' if runs != 1 else ''}, {size:,} bytes"
        self._tell([("✓ written  ", "good", True), (said, "text", False)], [(shown(str(path.absolute())), "text", False)])

    def _refused(self, error: SparkError) -> None:
        hint = "Choose another name, or set replace to yes." if "exists already" in error.title else error.hint
        self._failed(error.title, hint)

    def _failed(self, why: str, hint: str = "") -> None:
        self._busy, self._job = False, None
        self._tell([("✕ ", "bad", True), (shown(why), "text", False)], [(shown(hint) or _KEYS, "muted", False)])

    def _progress(self, done: int, of: int) -> None:
        self._tell([(f"reading  {done:,} / {of:,} runs", "muted", False)])

    def _tell(self, *lines: Pieces) -> None:
        self.query_one("#result", DialogLines).show(*lines)

    def _name_file(self) -> None:
        """A name made of the runs, unless one was typed."""
        path, scope = self._path, self._scopes[self._choice("what").at]
        if path.value == self._named:
            path.value = self._named = default_name(scope.sample, self._choice("format").value)
            path.cursor_position = len(path.value)

    def _describe(self) -> None:
        choice = self._choice("format")
        choice.note = _ABOUT[choice.value]
        choice.repaint()

    def _fit(self) -> None:
        self.query_one("#dialog", Vertical).styles.width = min(_WIDEST, self.app.size.width)

    def _choice(self, name: str) -> Choice:
        return self.query_one(f"#{name}", Choice)

    def _on(self, name: str) -> bool:
        return self._choice(name).at == 1

    @property
    def _path(self) -> LineInput:
        return self.query_one("#path", LineInput)

    @property
    def _spark(self) -> SparkApp:
        return cast("SparkApp", self.app)


def write_text(screen: PageScreen, record: RunRecord) -> None:
    """Ask for a file and write the run's text to it; what is there already stays."""
    def typed(name: str | None) -> None:
        if not name:
            return
        try:
            path = write_atomic(name, text_of(record).encode("utf-8", "replace"))
        except SparkError as error:
            screen.say(f"{error.title} Nothing was written.", severity="error")
            return
        screen.say(f"written: {path.absolute()}")

    name = f"{safe_name(record.prompt.name)}-{safe_name(record.id)}.txt"
    screen.app.push_screen(AskLine("file", name, hint="the text of this run, as the model sent it"), typed)
