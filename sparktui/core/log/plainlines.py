"""Lines of a log that say no more than their text, as they stand in its file: a burst goes on whole and is read where it is shown."""

from __future__ import annotations

from msgspec import Struct

from sparktui.core.log.logrecord import LogRecord


class PlainLines(Struct, frozen=True, kw_only=True, gc=False):
    """`count` records from number `first` on, as lines of TabbyAPI's file log with LF between them. Nothing in them needs masking."""

    first: int
    count: int
    lines: str

    def parted(self) -> tuple[LogRecord, PlainLines]:
        """The first record, and the lines after it; there must be two."""
        head, rest = self.lines.split("\n", 1)
        (record,) = PlainLines(first=self.first, count=1, lines=head).records()
        return record, PlainLines(first=self.first + 1, count=self.count - 1, lines=rest)

    def records(self, most: int | None = None) -> list[LogRecord]:
        """The newest `most` of them, or all."""
        # regular expressions that a screen without such a log never needs
        from sparktui.core.log.loghead import file_log_records

        lines = self.lines
        count = self.count if most is None else min(most, self.count)
        if count < self.count:
            lines = "\n".join(lines.rsplit("\n", count)[-count:]) if count else ""
        told = file_log_records(lines) or []
        first = self.first + self.count - len(told)
        return [LogRecord(n=n, text=text, time=time, level=level) for n, (time, level, text) in enumerate(told, first)]
