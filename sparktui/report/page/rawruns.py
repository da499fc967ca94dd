"""Every run in the layout of the published tables, the figures' definitions, and what the runs were made on."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.stats.cells import cell_of
from sparktui.report.definitions import definitions, paragraphs
from sparktui.report.flagwords import flag_words
from sparktui.report.page.kinds import SIMULATED_MARK, Kinds, by_source
from sparktui.report.page.parts import Block, Bullets, Heading, Rows, Section, Terms, Words
from sparktui.report.page.shortprompt import run_timelines
from sparktui.report.runtable import median_line, reference_table
from sparktui.report.sections import READING, by_prompt, environment

_SHORT = (
    "ttft_s", "decode_s", "client_tok_s", "client_tok_s_net", "server_tok_s", "completion_tokens", "prompt_tokens", "chunks",
    "tokens_per_chunk", "burstiness", "acceptance_rate", "verify_steps", "tokens_per_step",
)  # fmt: skip
_LONG = ("prefill_s", "prefill_tok_s", "new_tokens", "cached_tokens")


def raw_section(kinds: Kinds, *, strips: bool) -> Section | None:
    """Per prompt and temperature a table of runs and their median; with `strips` a burst timeline of each. None without such runs."""
    blocks: list[Block] = []
    for runs in by_source(kinds.all):
        mark = f" ({SIMULATED_MARK})" if kinds.mixed and runs[0].simulated else ""
        for prompt in by_prompt(runs):
            blocks.append(Heading(prompt.heading + mark))
            for cell in prompt.cells:
                blocks += [Heading(cell.heading, 2), Rows(reference_table(cell.runs)), Words(median_line(cell.runs), "strong")]
                blocks += [Words(f"note: {note}", "muted") for note in cell_of(cell.runs).notes]
                if strips and (found := run_timelines(cell.runs)):
                    blocks.append(found)
    return Section("runs", "Raw runs", tuple(blocks)) if blocks else None


def definitions_section(kinds: Kinds) -> Section:
    """The figures that this page shows, the rules of medians and comparisons, and the flags that its runs carry."""
    long = bool(kinds.needles or kinds.long or kinds.sweeps)
    wanted = {*_SHORT, *(_LONG if long else ()), *(("memory",) if any(run.memory for run in kinds.all) else ())}
    blocks: list[Block] = [Words(READING), Terms(tuple(one for name, one in definitions().items() if name in wanted))]
    blocks += [Words(text) for text in paragraphs("metrics", "Cells, medians and comparisons")]
    if kinds.needles:
        blocks += [Words(text) for text in paragraphs("metrics", "Long context")]
    flags = list(dict.fromkeys(flag for run in kinds.all for flag in run.flags))
    known = [(f"{flag}: {flag_words()[flag]}", "") for flag in flags if flag in flag_words()]
    if known:
        blocks += [Heading("Flags"), Bullets(tuple(known))]
    return Section("definitions", "Definitions", tuple(blocks))


def environment_section(kinds: Kinds, more: Sequence[str]) -> Section:
    """Servers, what was sent, when, idle or not; what the runs warn of; then `more`."""
    warnings = dict.fromkeys(warning for run in kinds.all for warning in run.warnings)
    facts = [*environment(kinds.all), *warnings, *more]
    return Section("environment", "Environment", (Bullets(tuple((fact, "") for fact in facts)),))
