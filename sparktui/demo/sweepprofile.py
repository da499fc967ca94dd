"""The published settings sweep, for the simulated server: what a sweep of it compares where the config lists nothing."""

from __future__ import annotations

from sparktui.core.config import SweepConfig, VariantConfig


def published_sweep() -> SweepConfig:
    """Structured output at 8.8k tokens of context, temperature 0, 1,500 tokens: the shipped settings, six others, and no draft."""
    return SweepConfig(
        prompt="json",
        runs=3,
        warmup=0,
        temperature=0,
        max_tokens=1500,
        context_tokens=8800,
        variants=(
            VariantConfig(name="shipped"),
            VariantConfig(name="draft length 3", load={"draft_model": {"draft_num_tokens": 3}}),
            VariantConfig(name="draft length 8", load={"draft_model": {"draft_num_tokens": 8}}),
            VariantConfig(name="draft threshold", load={"draft_model": {"draft_confidence": 0.6}}),
            VariantConfig(name="8-bit cache", load={"cache_mode": "8,8"}),
            VariantConfig(name="dynamic draft", load={"draft_model": {"dynamic_draft": True}}),
            VariantConfig(name="prefill graph", load={"prefill_graph": True}),
            VariantConfig(name="chunk_size 4096", load={"chunk_size": 4096}),
            VariantConfig(name="no draft", load={"draft_model": {"draft_mode": "disabled"}}),
        ),
    )
