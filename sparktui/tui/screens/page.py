"""The base of the screens that stand over the live one: header and footer, parts placed by size, notices, the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.app import ComposeResult
from textual.events import Resize
from textual.geometry import Region
from textual.widget import Widget

from sparktui.core.figures.phase import Phase, phase_of
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.drawing.placed import Placed
from sparktui.tui.keys import footer_keys
from sparktui.tui.live.layout import mode_for
from sparktui.tui.runview.run_names import run_title
from sparktui.tui.screens.base import SparkScreen
from sparktui.tui.widgets.footer import KeyFooter
from sparktui.tui.widgets.header import Header, HeaderView

if TYPE_CHECKING:
    from sparktui.tui.screens.lanes import LanesScreen
    from sparktui.tui.screens.live import LiveScreen

_UNPAINTED = object()
# below this height the footer gives its row to what is looked at
_FOOTER_FROM_ROWS = 10
_FIELDS: Mapping[str, Literal["all", "some", "run"]] = {"wide": "all", "mid": "some", "small": "run"}


class PageScreen(SparkScreen):
    """Subclasses give `parts()`, `places(width, first row, last row)` and `paint_body(due)`."""

    BLANK = True
    AUTO_FOCUS: ClassVar[str | None] = ""

    def __init__(self) -> None:
        super().__init__()
        self._placed = Placed()
        self._seen: dict[str, object] = {}

    def parts(self) -> ComposeResult:
        """The widgets between header and footer, each with an id."""
        yield from ()

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        """Where each part stands between row `top` and row `bottom` (not included); parts left out are not shown."""
        return {}

    def paint_body(self, due: Due) -> None:
        """Bring the parts up to date."""

    def compose(self) -> ComposeResult:
        yield Header(id="header")
        yield from self.parts()
        yield KeyFooter(id="footer")

    @property
    def layout(self) -> Placed:
        return self._placed

    def on_mount(self) -> None:
        self.place_parts()
        self.paint(Due(meter=True, second=True))

    def on_resize(self, event: Resize) -> None:
        self.place_parts()
        self.repaint_all()

    def on_screen_resume(self) -> None:
        self.repaint_all()

    def restyle(self) -> None:
        super().restyle()
        self.repaint_all()

    def repaint_all(self) -> None:
        """Everything that state decides is painted at the next frame, whatever changed."""
        self._seen.clear()

    def place_parts(self) -> None:
        """Give every part its place for the terminal's size."""
        if not self.children:
            return
        width, height = self.app.size
        foot = int(height >= _FOOTER_FROM_ROWS)
        places = {"header": Region(0, 0, width, min(1, height)), **self.places(width, 1, max(1, height - foot))}
        if foot:
            places["footer"] = Region(0, height - 1, width, 1)
        self._placed.regions = {name: place for name, place in places.items() if place.area}
        for widget in self.query_children(Widget):
            widget.display = widget.id in self._placed.regions
        # an arrangement is kept as long as the same widgets are shown; here they stay and their places move
        self._clear_arrangement_cache()
        self.refresh(layout=True)

    def paint(self, due: Due) -> None:
        if not self.children:
            return
        phase = phase_of(self.spark.session, self.spark.now_ns)
        self._paint_header(Phase(phase.name, float(int(phase.seconds))))
        self.paint_body(due)
        facts = self.facts()
        if self.changed("footer", facts):
            pairs = footer_keys(self.KIND, facts)
            left, right = ([key for key in keys if self.handler(key) is not None] for keys in pairs)
            self.query_one(KeyFooter).show(left, right)

    def changed(self, part: str, value: object) -> bool:
        """Whether `value` is another one than when `part` was asked for last; it is remembered."""
        different = self._seen.get(part, _UNPAINTED) != value
        self._seen[part] = value
        return different

    def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information", title: str = "") -> None:
        """A short notice. `text` may be foreign: it is scrubbed and never read as markup."""
        self.app.notify(shown(text, keep_newlines=True), title=shown(title), severity=severity, markup=False)

    def act_back(self) -> None:
        self.app.pop_screen()

    def act_help(self) -> None:
        """Help, the keys of this screen first."""
        from sparktui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(kind=self.KIND))

    def act_quit(self) -> None:
        self._live.act_quit()

    def act_interrupt(self) -> None:
        """Selected text is this screen's, the run that is cancelled and the way out are the live screen's."""
        text = self.get_selected_text()
        if text:
            self.copy_text(text)
        else:
            self._live.act_interrupt()

    def copy_text(self, text: str) -> None:
        """Send `text` to the terminal's clipboard; whether it takes it nobody can tell."""
        self.app.copy_to_clipboard(text)
        self.say(f"{len(text):,} characters sent to the terminal; if it takes them, they are in the clipboard")

    @property
    def _live(self) -> LiveScreen | LanesScreen:
        """The screen that all others stand over."""
        from sparktui.tui.screens.lanes import LanesScreen
        from sparktui.tui.screens.live import LiveScreen

        return next(screen for screen in self.app.screen_stack if isinstance(screen, LiveScreen | LanesScreen))

    def _paint_header(self, phase: Phase) -> None:
        session, options = self.spark.session, self.spark.options
        view = HeaderView(
            phase=phase, info=session.info, address=options.address, memory=session.memory, source=options.source,
            fields=_FIELDS[mode_for(*self.app.size)], run=run_title(session, short=True),
        )  # fmt: skip
        if self.changed("header", view):
            self.query_one(Header).show(view)
