"""What the screen is started with: prompts, parameters, looks. Values only."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from sparktui.core.config import BenchConfig, NeedleConfig, SweepConfig, UiConfig
from sparktui.core.plans import PromptSpec


class Options(Struct, frozen=True, kw_only=True):
    """`address`: the configured base URL, and `address_origin` where it came from ("config.yml, line 3"). `command`: how to call us.

    `source`: a live worker, a replay, a journal that is being written, or one whose writer ended or was killed. All but the first are
    read-only.
    """

    prompts: dict[str, PromptSpec] = field(default_factory=dict)
    temperature: int | float | None = 1.0
    max_tokens: int | None = 800
    label: str = "default"
    bench: BenchConfig = field(default_factory=BenchConfig)
    needle: NeedleConfig = field(default_factory=NeedleConfig)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    ui: UiConfig = field(default_factory=UiConfig)
    baseline_tok_s: float | None = None
    address: str = ""
    address_origin: str = ""
    command: str = "sparktui"
    source: Literal["live", "replay", "watch", "ended", "killed"] = "live"

    @property
    def read_only(self) -> bool:
        return self.source != "live"
