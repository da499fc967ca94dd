"""The screen over a slow line: how old what it shows is, how soon a key is answered, and what it costs in bytes."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from statistics import median

from sparktui.core.events import AnyEvent, Chunk, Hello, RunDone
from sparktui.io.store.journal import read_journal
from tests.perf.bench import Row
from tests.perf.line import Line, SlowTerminal

_STREAM_COLUMNS, _STREAM_ROWS = 81, 24
_TAIL = 12
# the mark beside the newest chunk stands in the middle of its text where that wraps
_NEWEST = "▌"
_KEY_EVERY_S = 1.7


@dataclass
class Seen:
    """What of the stream stood on the screen when: (seconds of the monotonic clock, the text without its blanks)."""

    looks: list[tuple[float, str]] = field(default_factory=list)

    def __call__(self, terminal: SlowTerminal) -> None:
        rows = terminal.screen.display[1:_STREAM_ROWS]
        self.looks.append((time.monotonic(), "".join("".join(row[:_STREAM_COLUMNS].replace(_NEWEST, "").split()) for row in rows)))


def line() -> Iterator[Row]:
    """A story and code over 64 kB/s and 150 ms each way; then over a line that takes less than is painted at first."""
    for name, key, slow in (
        ("story", "s", Line()), ("code", "c", Line()), ("story, writer waits", "s", Line(window=2048)),
        ("story, 4 kB/s", "s", Line(rate=4_000, window=2048)),
    ):  # fmt: skip
        fast = slow.rate >= 64_000
        with tempfile.TemporaryDirectory(prefix="sparktui-line-") as folder:
            ages, answers, rate = _measured(key, slow, Path(folder))
        worst, late = max(ages), max(answers)
        measured = f"{median(ages):.2f} / {worst:.2f} s"
        yield Row(f"{name}: chunk to screen, p50 / max", measured, "≤ 1 s" if fast else "", worst <= 1 if fast else None)
        measured = f"{median(answers):.2f} / {late:.2f} s"
        yield Row(f"{name}: key to answer, p50 / max", measured, "≤ 0.5 s" if fast else "", late <= 0.5 if fast else None)
        yield Row(f"{name}: bytes to the terminal", f"{rate / 1000:.1f} kB/s", "", None)


def _measured(key: str, slow: Line, folder: Path) -> tuple[list[float], list[float], float]:
    """Seconds from each chunk's stamp to its last letters on the screen; seconds from key to answer; bytes a second while it streams."""
    env = {**os.environ, "SPARKTUI_DATA_DIR": str(folder / "data"), "TERM": "xterm-256color", "HOME": str(folder)}
    env.pop("COLORTERM", None)
    seen = Seen()
    terminal = SlowTerminal(["--demo", "--config", str(_config(folder))], env, slow, seen)
    try:
        terminal.wait(lambda text: "Press a key and watch" in text and "idle" in text)
        time.sleep(1.0)
        terminal.press(key)
        terminal.wait(lambda text: "generating" in text)
        began, before = time.monotonic(), terminal.bytes_in
        answers = list(_keys(terminal, began + 12))
        terminal.press("x")
        rate = (terminal.bytes_in - before) / (time.monotonic() - began)
        terminal.wait(lambda text: "generating" not in text)
    finally:
        terminal.close()
    events = [event for path in (folder / "data" / "journals").glob("*.jsonl") for event in read_journal(path)]
    return list(_ages(events, seen)), answers, rate


def _config(folder: Path) -> Path:
    path = folder / "config.yml"
    path.write_text("server: {base_url: auto}\n")
    return path


def _keys(terminal: SlowTerminal, until: float) -> Iterator[float]:
    """Press `v` again and again; each time until the head of the stream says the next view."""
    views = ("view chunks", "view heat", "view plain")
    while time.monotonic() < until:
        shown = next(view for view in views if view in terminal.text)
        terminal.press("v")
        yield terminal.wait(lambda text, shown=shown: any(view in text for view in views if view != shown))  # type: ignore[misc]
        time.sleep(_KEY_EVERY_S)


def _ages(events: list[AnyEvent], seen: Seen) -> Iterator[float]:
    chunks = [event for event in events if isinstance(event, Chunk)]
    ends = list(accumulate("".join(chunk.text.split()) for chunk in chunks))
    done = next(event.t_ns for event in events if isinstance(event, RunDone))
    assert any(isinstance(event, Hello) for event in events)
    at = 0
    for chunk, text in zip(chunks, ends, strict=True):
        if len(text) < _TAIL or not chunk.text.strip() or chunk.t_ns > done - 1_000_000_000:
            continue
        stamp_s = chunk.t_ns / 1e9
        while at < len(seen.looks) and (seen.looks[at][0] < stamp_s or text[-_TAIL:] not in seen.looks[at][1]):
            if seen.looks[at][0] > stamp_s + 3:
                break
            at += 1
        if at < len(seen.looks):
            yield seen.looks[at][0] - stamp_s
