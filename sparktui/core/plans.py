"""What is asked for: one run, or a bench of cells. Plain values that travel in worker commands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from sparktui.core.records import PromptInfo, RunParams

# a haystack of millions of characters is not encoded once more only to be hashed
_HASHED_CHARACTERS = 1 << 18


class PromptSpec(Struct, frozen=True, kw_only=True):
    """A named prompt. `params` go into the request body as they are, `schema` asks for structured output.

    `context`: text sent before it, of `context_tokens` tokens; runs whose contexts differ in words but not in length ask the same question.
    """

    name: str
    text: str
    params: dict[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] | None = None
    context: str = ""
    context_tokens: int = 0

    @property
    def sent(self) -> str:
        """What goes into the request: the text after its context."""
        return self.context + self.text

    def info(self, *, keep_text: bool = True) -> PromptInfo:
        """Name, SHA-256 of the UTF-8 text and (unless left out) the text, as a record stores them."""
        digest = hashlib.sha256()
        for start in range(0, len(self.text), _HASHED_CHARACTERS):
            digest.update(self.text[start : start + _HASHED_CHARACTERS].encode("utf-8", "surrogatepass"))
        if self.context_tokens:
            digest.update(f"\n[after {self.context_tokens} tokens]".encode())
        return PromptInfo(name=self.name, sha256=digest.hexdigest(), text=self.text if keep_text else None)


class RunSpec(Struct, frozen=True, kw_only=True):
    """One request to make. `run_no` of `runs` counts within its cell, from 1; warm-ups have run_no 0.

    `needle`: what core.needleplan.facts gives. `expected_prefill_s`: from the last known rate, None = nothing is known.
    `together`: so many equal requests start at once; they share number and cell.
    """

    prompt: PromptSpec
    params: RunParams
    label: str = "default"
    bench_id: str | None = None
    run_no: int | None = None
    runs: int | None = None
    warmup: bool = False
    needle: dict[str, Any] | None = None
    expected_prefill_s: float | None = None
    together: int = 1


class BenchPlan(Struct, frozen=True, kw_only=True):
    """Prompts × temperatures, `runs` counted runs each after `warmup` ones. A temperature of None sends none (server default).

    With `parallel` N each run is N equal requests at once, which share its number.
    """

    prompts: tuple[PromptSpec, ...]
    temps: tuple[int | float | None, ...]
    runs: int
    warmup: int = 1
    parallel: int = 1
    max_tokens: int | None = 800
    label: str = "default"

    def specs(self, bench_id: str) -> Iterator[RunSpec]:
        """Every run in order: cell by cell (prompt, then temperature), warm-ups first."""
        for prompt in self.prompts:
            for temperature in self.temps:
                params = RunParams(temperature=temperature, max_tokens=self.max_tokens, extra=prompt.params)
                for number in range(1 - self.warmup, self.runs + 1):
                    spec = RunSpec(
                        prompt=prompt, params=params, label=self.label, bench_id=bench_id,
                        run_no=max(number, 0), runs=self.runs, warmup=number < 1, together=self.parallel,
                    )  # fmt: skip
                    yield from [spec] * self.parallel

    @property
    def total(self) -> int:
        """Requests in all, warm-ups included."""
        return len(self.prompts) * len(self.temps) * (self.runs + self.warmup) * self.parallel
