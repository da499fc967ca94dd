"""What a page holds: which sections, whose numbers, and that every one of them is the tables' own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from sparktui.core.records import ChunkMark, RunRecord
from sparktui.core.stats.cells import cells_of
from sparktui.errors import UsageError
from sparktui.report.comparing import cell_table, cells_side
from sparktui.report.intervalplot import scale_for, title
from sparktui.report.needletable import needle_table
from sparktui.report.numbers import tok_s
from sparktui.report.page.content import page_of
from sparktui.report.page.kinds import kinds_of
from sparktui.report.page.parts import (
    Block,
    Bullets,
    CurvePlot,
    Heading,
    IntervalPlot,
    MemoryPlot,
    Page,
    RatePlot,
    Rows,
    Terms,
    Timelines,
    Words,
)  # fmt: skip
from sparktui.report.runtable import median_line, reference_table
from sparktui.report.sections import SIMULATED
from sparktui.report.sweeptable import matched_variants, sweep_table
from tests.report.page.samples import AT, bench, marks, needles, sweep
from tests.runs import run


def page(records: Sequence[RunRecord], **options: str) -> Page:
    return page_of(records, made_at=AT, **options)  # type: ignore[arg-type]


def blocks(found: Page, section: str, kind: type[Block] | None = None) -> list[Block]:
    (one,) = [one for one in found.sections if one.name == section]
    return [block for block in one.blocks if kind is None or isinstance(block, kind)]


def tables(found: Page, section: str) -> list[list[tuple[str, ...]]]:
    return [[row.cells for row in block.table.rows] for block in blocks(found, section, Rows) if isinstance(block, Rows)]


def sections(found: Page) -> list[str]:
    return [section.name for section in found.sections]


def test_only_sections_with_data() -> None:
    everything = page([*bench(), *needles(), *sweep()])
    assert sections(everything) == [
        "short-prompt", "meaning", "prefill", "decode", "memory", "sweep", "runs", "definitions", "environment",
    ]  # fmt: skip
    bare = [replace(record, memory=None) for record in bench()]
    assert sections(page(bare)) == ["short-prompt", "meaning", "runs", "definitions", "environment"]
    assert sections(page([replace(record, memory=None) for record in needles()])) == ["prefill", "decode", "definitions", "environment"]


def test_the_tables_are_those_of_the_other_commands() -> None:
    records = [*bench(), *needles(), *sweep()]
    found = page(records)
    short = [record for record in records if record.bench_id == "bench-1"]
    assert tables(found, "short-prompt") == [[row.cells for row in cell_table(cells_side(short)).rows]]
    assert tables(found, "prefill")[0] == [row.cells for row in needle_table(needles()).rows]
    matched = matched_variants(sweep(), ["shipped", "8-bit cache", "no draft"], "shipped")
    assert matched is not None
    whole = sweep_table(matched)
    drawn = title(scale_for(matched.comparisons))
    assert tables(found, "sweep") == [[row.cells for row in whole.without((drawn,)).rows]]
    code = [record for record in short if record.prompt.name == "code"]
    assert [row.cells for row in reference_table(code).rows] in tables(found, "runs")
    assert Words(median_line(code), "strong") in blocks(found, "runs", Words)


def test_what_is_drawn_is_what_the_export_says() -> None:
    records = bench()
    (plot,) = blocks(page(records), "short-prompt", RatePlot)
    assert isinstance(plot, RatePlot)
    cells = cells_of(records)
    assert [(rate.median, rate.server, rate.tokens_per_chunk) for rate in plot.rates] == [
        (cell.medians["client_tok_s"], cell.medians["server_tok_s"], cell.medians["tokens_per_chunk"]) for cell in cells
    ]
    assert [rate.text for rate in plot.rates] == [f"{tok_s(cell.medians['client_tok_s'])} tok/s" for cell in cells]
    # neither the warm-up nor the run that was not alone
    assert [len(rate.values) for rate in plot.rates] == [3, 3]


def test_a_timeline_a_cell_or_one_a_run_or_none() -> None:
    (found,) = blocks(page(bench()), "short-prompt", Timelines)
    assert isinstance(found, Timelines)
    assert [strip.title for strip in found.strips] == ["code · T 0", "story · T 0"]
    assert found.strips[0].detail.startswith("TTFT 1.08 s · 57.2 tok/s · 49 chunks · 16.2 tok/chunk")
    every = page(bench(), strips="all")
    assert sum(len(block.strips) for block in blocks(every, "runs", Timelines) if isinstance(block, Timelines)) == 8
    assert not blocks(page(bench(), strips="none"), "short-prompt", Timelines)


@pytest.mark.parametrize(
    "mark", [ChunkMark(1e12, "content", 1, 1.0), ChunkMark(-1.0, "content", 1, 1.0), ChunkMark(1.0, "content", 1, float("nan"))]
)
def test_times_that_cannot_be_are_not_drawn(mark: ChunkMark) -> None:
    assert not blocks(page([run(1, timeline=(*marks(5, 0.1, 1.0, 3), mark))]), "short-prompt", Timelines)


def test_verdicts_with_their_intervals() -> None:
    (plot,) = blocks(page(sweep()), "sweep", IntervalPlot)
    assert isinstance(plot, IntervalPlot)
    assert [(name, verdict) for name, verdict, _ in plot.rows] == [
        ("8-bit cache", "= no difference shown"), ("no draft", "▼ slower by 40–44 %"),
    ]  # fmt: skip
    said = [block.text for block in blocks(page(sweep()), "sweep", Words) if isinstance(block, Words)]
    assert "Held against shipped, the first to run." in said
    assert any("Holm" in text for text in said) and any(text.startswith("Drift") for text in said)
    (heading,) = blocks(page(sweep()), "sweep", Heading)
    assert heading == Heading("json at 8,820 tokens of context, temperature 0, max_tokens 800")


def test_another_baseline_by_name_and_none_by_a_wrong_one() -> None:
    (plot,) = blocks(page(sweep(), baseline="no draft"), "sweep", IntervalPlot)
    assert isinstance(plot, IntervalPlot) and plot.baseline == "no draft"
    assert [verdict[:8] for _, verdict, _ in plot.rows] == ["▲ faster", "▲ faster"]
    with pytest.raises(UsageError, match="No chosen run has the label 'nodraft'") as caught:
        page(sweep(), baseline="nodraft")
    assert "8-bit cache" in caught.value.hint


def test_labels_with_one_question_are_compared_without_a_sweep() -> None:
    before = [run(number, run_no=number, client_tok_s=50.0 + number / 10) for number in (1, 2, 3)]
    after = [run(10 + number, run_no=number, label="after", bench_id="bench-2", client_tok_s=56.0 + number / 10) for number in (1, 2, 3)]
    found = page([*before, *after])
    (plot,) = blocks(found, "sweep", IntervalPlot)
    assert isinstance(plot, IntervalPlot) and [name for name, _, _ in plot.rows] == ["after"]
    assert next(section.title for section in found.sections if section.name == "sweep") == "Settings compared"
    # other questions say nothing of a setting
    assert "sweep" not in sections(page([*before, *(replace(one, prompt=run(1, prompt="story").prompt) for one in after)]))


def test_rates_over_length_only_where_lengths_differ_and_one_is_long() -> None:
    found = page([*bench(), *needles()])
    (prefill,) = blocks(found, "prefill", CurvePlot)
    assert isinstance(prefill, CurvePlot)
    assert prefill.series[0].points == ((100_012.0, 800.0), (300_012.0, 780.0))
    (decode,) = blocks(found, "decode", CurvePlot)
    assert isinstance(decode, CurvePlot) and {series.name for series in decode.series} == {"code", "story", "needle"}
    assert not blocks(page(needles()[:1]), "prefill", CurvePlot)
    cached = [replace(one, flags=("cached_prompt",)) for one in needles()]
    assert not blocks(page(cached), "prefill", CurvePlot)


def test_memory_by_configuration_and_the_cache_pool_it_gives_away() -> None:
    found = page([*needles(), *sweep()])
    (plot,) = blocks(found, "memory", MemoryPlot)
    assert isinstance(plot, MemoryPlot)
    assert [(use.name, use.text) for use in plot.uses][:2] == [
        ("shipped · 100,000-token needle", "106.0 / 121.0 GB"), ("shipped · 300,000-token needle", "106.0 / 121.0 GB"),
    ]  # fmt: skip
    said = [text for block in blocks(found, "memory", Bullets) if isinstance(block, Bullets) for text, _ in block.items]
    assert any(text.startswith("no draft: system memory 104.0 → 103.0 GB; cache pool ≈ 0.93 GiB") and "derived" in text for text in said)


def test_unknown_is_a_dash_and_estimated_says_so() -> None:
    bare = run(1, ttft_s=None, server_tok_s=None, tokens_per_chunk=None, tokens_estimated=True, draft_accepted=None, draft_proposed=None,
               acceptance_rate=None, verify_steps=None, tokens_per_step=None)  # fmt: skip
    found = page([bare, run(2, run_no=2, server_tok_s=None, label="b", bench_id=None)])
    first = tables(found, "short-prompt")[0][0]
    assert "–" in first and "≈ 57.1" in first
    (plot,) = blocks(found, "short-prompt", RatePlot)
    assert isinstance(plot, RatePlot) and plot.rates[0].text == "≈ 57.1 tok/s" and plot.rates[0].server is None


def test_runs_that_failed_leave_a_page_without_rates() -> None:
    failed = run(1, status="failed", error="503", client_tok_s=None, ttft_s=None, decode_s=None, completion_tokens=None, timeline=None)
    found = page([failed])
    assert not blocks(found, "short-prompt", RatePlot)
    assert any("failed" in cell for rows in tables(found, "runs") for row in rows for cell in row)


def test_simulated_runs_are_called_so_everywhere() -> None:
    demo = replace(run(1).server, kind="demo")
    assert page([replace(one, simulated=True) for one in bench()]).banner == SIMULATED
    both = [*bench(), *(replace(one, id=f"d{one.id}", simulated=True, server=demo) for one in (*bench(), *needles()))]
    found = page(both)
    assert found.banner.startswith("With simulated runs")
    labels = [row[0] for row in tables(found, "short-prompt")[0]]
    assert sorted(labels) == ["shipped", "shipped", "shipped (simulated)", "shipped (simulated)"]
    assert Heading("Needle runs, simulated") in blocks(found, "prefill", Heading)
    runs = [block.text for block in blocks(found, "runs", Heading) if isinstance(block, Heading) and block.level == 1]
    assert [text.endswith("(simulated)") for text in runs] == [False, False, True, True]
    sentences = [text for block in blocks(found, "meaning", Bullets) if isinstance(block, Bullets) for text, _ in block.items]
    assert any(text.startswith("(simulated) ") for text in sentences) and any(not text.startswith("(simulated) ") for text in sentences)
    assert page(bench()).banner == ""


def test_definitions_are_the_documentations_and_flags_are_explained() -> None:
    found = page([*bench(), *needles()])
    (terms,) = blocks(found, "definitions", Terms)
    assert isinstance(terms, Terms)
    names = [one.field for one in terms.definitions]
    assert names[0] == "ttft_s" and {"client_tok_s", "prefill_tok_s", "memory"} <= set(names)
    assert "prefill_tok_s" not in [one.field for block in blocks(page(bench()), "definitions", Terms) for one in block.definitions]  # type: ignore[union-attr]
    flags = [text for block in blocks(found, "definitions", Bullets) if isinstance(block, Bullets) for text, _ in block.items]
    assert flags == ["not_idle: another request was in flight, or this one queued: left out of medians"]


def test_one_run_is_explained_alone() -> None:
    found = page([run(1)])
    assert found.sections[0].name == "short-prompt"
    said = [text for block in blocks(found, "meaning", Bullets) if isinstance(block, Bullets) for text, _ in block.items]
    assert any("step" in text for text in said)


def test_the_published_runs(reference: list[RunRecord]) -> None:
    found = page(reference)
    rows = tables(found, "short-prompt")[0]
    assert [(row[1], row[2], row[5]) for row in rows] == [
        ("story", "1.0", "30.2"), ("story", "0", "31.8"), ("story", "unset", "30.6"), ("code", "0", "57.3"), ("code", "1.0", "53.3"),
    ]  # fmt: skip
    rates = [row[3] for row in tables(found, "prefill")[0]]
    assert rates == ["≈ 800 tok/s", "≈ 800 tok/s", "≈ 640 tok/s"]
    facts = [text for block in blocks(found, "environment", Bullets) if isinstance(block, Bullets) for text, _ in block.items]
    assert any("imported, not measured here" in fact for fact in facts)


def test_no_runs_are_no_page() -> None:
    with pytest.raises(UsageError, match="no run to report on"):
        page([])


def test_every_run_is_of_exactly_one_kind() -> None:
    records = [*bench(), *needles(), *sweep(), run(99, prompt_tokens=5_000, bench_id=None)]
    found = kinds_of(records)
    parts = [*found.needles, *found.long, *found.short, *(one for runs in found.sweeps for one in runs)]
    assert sorted(one.id for one in parts) == sorted(one.id for one in records)
    assert [one.id for one in found.long] == ["run-000099"]
