"""The screen alone, fed by the clock: `python -m tests.perf.screenchild KIND` (idle, story, code, chunks a second, million)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from sparktui.core.commands import AnyCommand
from sparktui.core.events import AnyEvent, Chunk, RunStarted
from sparktui.core.records import PromptInfo, RunParams
from sparktui.tui.app import SparkApp
from sparktui.tui.link import Link, ScriptedLink
from sparktui.tui.options import Options
from tests.tui.scenes import BEFORE, CODE, PROMPTS, STORY
from tests.tui.timelines import MIDDAY, T0_NS, TABBY, finished, log_lines, opening

_BATCH = 20_000
_MILLION = 1_000_000
_RUNS = 10_000
_WORDS = ("the", " lamp", " had", " burned", " for", " ninety", "-one", " years", " before", " Edda", " came", ",", " and", "\n")


class Steady:
    """`rate` one-token chunks a second by the clock, or with `total` that many as fast as they are taken. Nothing is kept."""

    def __init__(self, rate: int, total: int | None = None) -> None:
        self.state, self.reason = "up", ""
        self._rate, self._total, self._sent = rate, total, 0
        self._began_ns: int | None = None

    def events(self) -> list[AnyEvent]:
        now_ns = time.perf_counter_ns()
        found: list[AnyEvent] = []
        if self._began_ns is None:
            self._began_ns = now_ns
            found = [event for _, event in [*opening(), *log_lines()]]
            found.append(
                RunStarted(
                    run_id="s", prompt=PromptInfo(name="story", sha256="0"), params=RunParams(temperature=0), t_send_ns=T0_NS,
                    started_at=MIDDAY.isoformat(), server=TABBY, t_ns=T0_NS,
                )
            )  # fmt: skip
        due = round((now_ns - self._began_ns) / 1e9 * self._rate) if self._total is None else min(self._total, self._sent + _BATCH)
        return found + list(self._chunks(due))

    def _chunks(self, due: int) -> Iterator[AnyEvent]:
        while self._sent < due:
            self._sent += 1
            t_ns = T0_NS + 500_000_000 + round(self._sent / self._rate * 1e9)
            yield Chunk(run_id="s", n=self._sent, kind="content", text=_WORDS[self._sent % len(_WORDS)], t_ns=t_ns)

    def send(self, command: AnyCommand) -> int:
        return 0

    def close(self) -> int | None:
        return 0


def link_for(kind: str) -> Link:
    scripts = {"idle": [*opening(), *log_lines()], "story": STORY, "code": CODE}
    if kind in scripts:
        return ScriptedLink(sorted(scripts[kind], key=lambda item: item[0]), time.perf_counter_ns)
    return Steady(50_000, _MILLION) if kind == "million" else Steady(int(kind))


def main(kind: str) -> None:
    app = SparkApp(lambda: link_for(kind), Options(prompts=PROMPTS, temperature=0))
    if kind == "million":
        app.session.put_records(finished("story", id=f"r{n}", minutes_ago=n) for n in range(_RUNS))
    else:
        app.session.put_records(BEFORE)
    app.run()


if __name__ == "__main__":
    main(sys.argv[1])
