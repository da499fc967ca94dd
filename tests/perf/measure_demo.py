"""The simulated server, in real time, against the published figures it stands for. Takes a minute and a half."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from sparktui.core.config import Config, ServerConfig
from sparktui.core.plans import RunSpec
from sparktui.core.records import RunParams, RunRecord
from sparktui.demo.process import DemoProcess
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.run import run_once
from sparktui.engine.server.opening import Opening
from sparktui.engine.server.target import Target
from sparktui.io.config.prompts import resolve_prompt
from tests.perf.bench import Row

_RUNS = 3


@dataclass
class Cell:
    """A cell of the published tables, and our runs of it. Ranges are inclusive; acceptance None = no draft."""

    prompt: str
    temperature: float
    client_tok_s: float
    server_tok_s: float | None
    chunks: tuple[int, int] | None
    ttft_s: tuple[float, float]
    acceptance: tuple[float, float] | None
    records: list[RunRecord] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"demo, {self.prompt} T {self.temperature:g}" + (" without a draft" if self.acceptance is None else "")

    def measure(self) -> None:
        """Three runs against a server of its own."""
        with DemoProcess.start(speed=1.0, draft=self.acceptance is not None, newer_usage=True) as process:
            server = ServerConfig(base_url=process.base_url)
            opened = Opening(server, "", lambda _: None, None).open(0)
            with Target(opened.client, opened.adapter, opened.info, seen=opened.seen) as target:
                params = RunParams(temperature=self.temperature, max_tokens=800)
                spec = RunSpec(prompt=resolve_prompt(Config(), self.prompt), params=params)
                self.records = [run_once(target, spec, Emitter([]), Cancel()) for _ in range(_RUNS)]


def cells() -> list[Cell]:
    """The published cells, and one without a draft."""
    story, code, quick, slow = (150, 165), (44, 56), (0.55, 0.65), (1.0, 1.2)
    return [
        Cell("story", 1.0, 30.2, 29.7, story, quick, (0.58, 0.74)),
        Cell("story", 0, 31.8, 31.2, story, quick, (0.58, 0.74)),
        Cell("code", 0, 57.3, 53.9, code, slow, (0.88, 0.92)),
        Cell("code", 1.0, 53.3, 50.3, code, slow, (0.80, 0.90)),
        Cell("story", 1.0, 29.0, None, None, (0.0, 2.0), None),
    ]


def demo() -> Iterator[Row]:
    """All cells at once, each on a server of its own; medians of three."""
    measured = cells()
    threads = [threading.Thread(target=cell.measure) for cell in measured]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for cell in measured:
        yield from _rows(cell)


def _rows(cell: Cell) -> Iterator[Row]:
    records = [record for record in cell.records if record.status == "ok"]
    if len(records) < _RUNS:
        yield Row(cell.name, f"{len(records)} of {_RUNS} runs ended well", "all", False)
        return
    client = median(record.client_tok_s or 0.0 for record in records)
    within = 1.0 / 29 if cell.acceptance is None else 0.03
    target = f"{cell.client_tok_s:g} ± {'1' if cell.acceptance is None else '3 %'}"
    yield Row(f"{cell.name}, client tok/s", f"{client:.1f}", target, abs(client / cell.client_tok_s - 1) <= within)
    if cell.server_tok_s is not None:
        server = median(record.server_tok_s or 0.0 for record in records)
        yield Row("  server tok/s", f"{server:.1f}", f"{cell.server_tok_s:g} ± 3 %", abs(server / cell.server_tok_s - 1) <= 0.03)
    if cell.chunks is not None and cell.acceptance is not None:
        yield _ranged("  chunks", [float(record.chunks) for record in records], cell.chunks, "{:.0f}")
        yield _ranged("  TTFT, s", [record.ttft_s or 0.0 for record in records], cell.ttft_s, "{:.2f}")
        yield _ranged("  acceptance", [record.acceptance_rate or 0.0 for record in records], cell.acceptance, "{:.1%}")
    else:
        absent = all(record.acceptance_rate is None for record in records)
        yield Row("  acceptance", "absent" if absent else "present", "absent", absent)


def _ranged(figure: str, values: list[float], limits: tuple[float, float], form: str) -> Row:
    low, high = limits
    text = ", ".join(form.format(value) for value in values)
    return Row(figure, text, f"{form.format(low)}–{form.format(high)}", all(low <= value <= high for value in values))
