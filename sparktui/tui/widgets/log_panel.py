"""The server's log: follows its end until scrolled, keeps its place when scrolled, filters, shows raw lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.strip import Strip

from sparktui.core.log.logrecord import LogRecord
from sparktui.tui.keys import SCROLLING
from sparktui.tui.widgets.log_row import log_row
from sparktui.tui.widgets.painted import Painted

_WHEEL_ROWS = 3


class LogPanel(Painted, can_focus=True):
    """`show(records, link_of)`: `link_of(n)` names the run that record `n` belongs to, "" for none."""

    ALLOW_SELECT = True
    BINDINGS: ClassVar[list[BindingType]] = list(SCROLLING)

    class Scrolled(Message):
        """The part in sight changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.raw = False
        self.filter = ""
        self._records: Sequence[LogRecord] = ()
        self._link_of: Callable[[int], str] = lambda n: ""
        self._last_n: int | None = None

    @property
    def following(self) -> bool:
        return self._last_n is None

    @property
    def unseen(self) -> int:
        """Records below the part in sight."""
        return 0 if self._last_n is None else sum(record.n > self._last_n for record in self._kept())

    def show(self, records: Sequence[LogRecord], link_of: Callable[[int], str]) -> None:
        self._records, self._link_of = records, link_of
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        records = self._kept()
        if self._last_n is not None:
            upto = sum(record.n <= self._last_n for record in records)
            records = records[: max(upto, min(height, len(records)))]
        return [log_row(record, width, self.roles, link=self._link_of(record.n), raw=self.raw) for record in records[-height:]]

    def scroll_rows(self, rows: int) -> None:
        """Up (negative) or down; reaching the end follows again."""
        numbers = [record.n for record in self._kept()]
        if not numbers:
            return
        at = len(numbers) - 1 if self._last_n is None else sum(n <= self._last_n for n in numbers) - 1
        at = max(min(self.size.height, len(numbers)) - 1, at + rows)
        self._last_n = numbers[at] if at < len(numbers) - 1 else None
        self.repaint()
        self.post_message(self.Scrolled())

    def action_scroll_up(self) -> None:
        self.scroll_rows(-1)

    def action_scroll_down(self) -> None:
        self.scroll_rows(1)

    def action_page_up(self) -> None:
        self.scroll_rows(-self.size.height)

    def action_page_down(self) -> None:
        self.scroll_rows(self.size.height)

    def action_scroll_home(self) -> None:
        self.scroll_rows(-len(self._records))

    def action_scroll_end(self) -> None:
        self.scroll_rows(len(self._records))

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows(-_WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows(_WHEEL_ROWS)

    def _kept(self) -> list[LogRecord]:
        if not self.filter:
            return list(self._records)
        wanted = self.filter.casefold()
        return [record for record in self._records if wanted in record.text.casefold()]
