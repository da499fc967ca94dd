"""The server's log: follows its end until scrolled, keeps its place when scrolled, filters, shows raw lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from sparktui.core.log.logrecord import LogRecord
from sparktui.tui.drawing.roles import Role
from sparktui.tui.widgets.log_row import log_row
from sparktui.tui.widgets.scrolling import Scrolling


class LogPanel(Scrolling):
    """`show(records, link_of, run_of)`: `link_of(n)` names the run that record `n` belongs to, `run_of(n)` is its id; "" for none."""

    ALLOW_SELECT = True
    kept_rows = 0

    class Scrolled(Message):
        """The part in sight changed."""

    class Chosen(Message):
        """A record was clicked: its number."""

        def __init__(self, n: int) -> None:
            super().__init__()
            self.n = n

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.raw = False
        self.filter = ""
        self._records: Sequence[LogRecord] = ()
        self._link_of: Callable[[int], str] = lambda n: ""
        self._run_of: Callable[[int], str] = lambda n: ""
        self._run_id = ""
        self._seen: list[LogRecord] = []
        self._last_n: int | None = None
        self.chosen_n: int | None = None

    @property
    def following(self) -> bool:
        return self._last_n is None

    @property
    def unseen(self) -> int:
        """Records below the part in sight."""
        return 0 if self._last_n is None else sum(record.n > self._last_n for record in self._kept())

    def show(self, records: Sequence[LogRecord], link_of: Callable[[int], str], run_of: Callable[[int], str]) -> None:
        self._records, self._link_of, self._run_of = records, link_of, run_of
        self.repaint()

    def set_off(self, run_id: str) -> None:
        """Set off the records of a run, "" for none."""
        if run_id != self._run_id:
            self._run_id = run_id
            self.repaint()

    @property
    def length(self) -> int:
        return len(self._records)

    def rows(self, width: int, height: int) -> list[Strip]:
        records = self._kept()
        if self._last_n is not None:
            upto = sum(record.n <= self._last_n for record in records)
            records = records[: max(upto, min(height, len(records)))]
        self._seen = records[-height:] if height else []
        return [
            log_row(record, width, self.roles, link=self._link_of(record.n), raw=self.raw, ground=self._ground(record.n))
            for record in self._seen
        ]

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

    def on_click(self, event: Click) -> None:
        if event.y < len(self._seen):
            self.post_message(self.Chosen(self._seen[event.y].n))

    def choose(self, n: int) -> None:
        """Set record `n` off from the others, and bring it into sight."""
        self.chosen_n = n
        if all(record.n != n for record in self._seen):
            numbers = [record.n for record in self._kept()]
            at = next((at for at, number in enumerate(numbers) if number >= n), len(numbers) - 1)
            at = min(len(numbers) - 1, at + self.size.height // 2)
            self._last_n = numbers[at] if 0 <= at < len(numbers) - 1 else None
            self.post_message(self.Scrolled())
        self.repaint()

    def step(self, by: int) -> int | None:
        """The generation record that comes `by` (1 or -1) after the chosen one, from the newest in sight where none is; None at the end."""
        numbers = [record.n for record in self._kept() if record.generation is not None]
        if by < 0:
            bound = self.chosen_n if self.chosen_n is not None else (self._seen[-1].n + 1 if self._seen else 0)
            return next((n for n in reversed(numbers) if n < bound), None)
        bound = self.chosen_n if self.chosen_n is not None else (self._seen[0].n - 1 if self._seen else 0)
        return next((n for n in numbers if n > bound), None)

    def _ground(self, n: int) -> Role:
        if n == self.chosen_n:
            return "cursor"
        return "head" if self._run_id and self._run_of(n) == self._run_id else "background"

    def _kept(self) -> list[LogRecord]:
        if not self.filter:
            return list(self._records)
        wanted = self.filter.casefold()
        return [record for record in self._records if wanted in record.text.casefold()]
