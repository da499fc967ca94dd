"""What a headless command says of long prompts: how far the prefill is, and what a needle run came to."""

from __future__ import annotations

from sparktui.core.events import RunStarted, Waiting
from sparktui.core.needleplan import found_words, place_words
from sparktui.core.records import RunRecord
from sparktui.report import numbers


def prefill_words(event: Waiting, expected_s: float | None) -> str:
    """`prefill 12 s of ≈ 125 s, 9,600 of 100,000 tokens, 2 keep-alives`; past what was expected it says so."""
    progress = event.prompt_progress
    text = f"prefill {event.elapsed_s:.0f} s"
    if expected_s is not None and expected_s >= 1:
        wait = f"≈ {expected_s:.0f} s"
        text += f" of {wait}" if event.elapsed_s <= expected_s else f", longer than the {wait} expected"
    if progress is not None:
        text += f", {progress.processed:,} of {progress.total:,} tokens"
    if event.pings:
        text += f", {event.pings} keep-alive{'s' * (event.pings != 1)}"
    return text


def needle_title(run: RunStarted) -> str:
    """`needle 100k @0.5`."""
    return f"{run.prompt.name} {place_words(run.needle or {})}".rstrip()


def needle_line(title: str, record: RunRecord) -> str:
    """How a needle run ended: `✓ needle 100k @0.5 · run 1/4   found   100,003 tokens   prefill 125 s   800 tok/s   decode 53.7 tok/s`."""
    found = (record.needle or {}).get("found")
    mark = "✓" if found else "✕" if found is False else "–"
    prefill_s = record.prefill_s if record.prefill_s is not None else record.ttft_s
    parts = [
        found_words(record.needle or {}) or "no answer",
        f"{numbers.count(record.prompt_tokens)} tokens" if record.prompt_tokens is not None else "",
        f"prefill {numbers.seconds(prefill_s, estimated=record.prefill_s is None)}",
        f"{numbers.fixed(record.prefill_tok_s, 0, estimated=record.prefill_estimated)} tok/s" if record.prefill_tok_s is not None else "",
        f"decode {numbers.tok_s(record.server_tok_s)} tok/s" if record.server_tok_s is not None else "",
        f"{numbers.gigabytes(record.memory.used_peak)} used" if record.memory is not None else "",
        ", ".join(record.flags).replace("_", " "),
    ]
    return f"{mark} {title}   " + "   ".join(part for part in parts if part)
