"""What the meter, its one-line forms, the header and the log rows say."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.events import Chunk, RunDone
from sparktui.core.figures.phase import Phase, phase_of
from sparktui.core.records import RunRecord
from sparktui.core.session import SessionState
from sparktui.tui.drawing.spark import CELLS, SparkHistory
from sparktui.tui.live.meter_line import meter_text
from sparktui.tui.live.meter_view import MeterView, Row, meter_view
from sparktui.tui.live.states import state_of
from sparktui.tui.runview.run_names import run_title
from sparktui.tui.widgets.meter import fitting_rows
from tests.tui.scenes import BEFORE, CODE, STORY
from tests.tui.stage import on_stage
from tests.tui.timelines import T0_NS, Script, finished, opening, run


def session_at(script: Script, at_s: float, records: tuple[RunRecord, ...] = BEFORE) -> tuple[SessionState, int]:
    session = SessionState()
    session.put_records(records)
    for t_s, event in script:
        if t_s <= at_s:
            session.fold(event)
    return session, T0_NS + round(at_s * 1e9)


def view_at(script: Script, at_s: float, records: tuple[RunRecord, ...] = BEFORE, baseline: float | None = None) -> MeterView:
    session, now_ns = session_at(script, at_s, records)
    return meter_view(session, phase_of(session, now_ns), now_ns, baseline)


def figures(view: MeterView) -> dict[str, str]:
    return {row.name: f"{row.number} {row.unit}".strip() for row in view.rows if row.kind == "figure"}


def beside(view: MeterView) -> list[str]:
    return ["".join(text for text, _, _ in line) for line in view.beside]


def test_while_it_runs_estimates_are_marked_and_draft_figures_are_those_of_the_run_before() -> None:
    view = view_at(CODE, 7.2)
    assert view.status == "≈ estimated" and view.digits.isdigit() and view.digits_role == "burst"
    said = figures(view)
    assert said["TTFT"] == "1.08 s" and said["elapsed"] == "7.2 s" and said["tokens"].startswith("≈ 3")
    assert said["tokens"].endswith("/ 800") and said["burstiness"] == "+0.60 bursty"
    assert beside(view)[:2] == ["tok/s ≈", "now, 1 s"] and beside(view)[3].endswith(" so far") and beside(view)[4].endswith("× no draft")
    head = next(row for row in view.rows if row.kind == "head")
    assert head.number == "from run 1 until this ends"
    assert [row.old for row in view.rows if row.name in ("accepted", "per step", "server")] == [True] * 3


def test_with_no_run_before_the_draft_figures_are_absent_not_zero() -> None:
    said = figures(view_at(CODE, 7.2, ()))
    assert (said["accepted"], said["per step"], said["server"]) == ("–", "–", "–")
    assert len(view_at(CODE, 7.2, ()).beside) == 4
    assert beside(view_at(CODE, 7.2, (), baseline=29.0))[4].endswith("× no draft")


def test_finished_figures_come_from_the_record_and_nothing_moves() -> None:
    running, done = view_at(CODE, 7.2), view_at(CODE, 16)
    assert done.status == "from the server" and done.digits == "58.7"
    assert beside(done) == ["client", "tok/s", "", "55.4", "server"]
    said = figures(done)
    assert said["tokens"] == "794 / 800" and said["accepted"] == "89.8 %" and said["speed-up"] == "1.91 × no draft"
    assert [row.kind for row in running.rows] == [row.kind for row in done.rows]
    assert next(row.number for row in done.rows if row.kind == "head") == "this run, 642 of 715"


def test_before_the_log_record_joins_the_draft_is_not_known() -> None:
    script = [item for item in CODE if type(item[1]).__name__ != "Joined"]
    said = figures(view_at(script, 16))
    assert (said["accepted"], said["per step"], said["speed-up"]) == ("–", "–", "–")


@pytest.mark.parametrize(
    ("rate", "digits", "lines"),
    [
        (57.14, "57.1", ["client", "tok/s", "", "55.0", "server"]),
        (99.94, "99.9", ["client", "tok/s", "", "55.0", "server"]),
        (123.46, "123", ["client", "tok/s", "123.5", "55.0", "server"]),
        (1234.5, "1234", ["tok/s"]),
        (None, "–", ["client", "tok/s", "", "55.0", "server"]),
    ],
)  # fmt: skip
def test_digits_of_every_size(rate: float | None, digits: str, lines: list[str]) -> None:
    script = run("code", seed=3, joined=False)
    done = script[-1][1]
    assert isinstance(done, RunDone)
    record = msgspec.structs.replace(done.record, client_tok_s=rate, server_tok_s=55.0)
    view = view_at([*script[:-1], (script[-1][0], msgspec.structs.replace(done, record=record))], 20, ())
    assert (view.digits, beside(view)) == (digits, lines)


def test_a_stall_shows_zero_in_faint_and_what_it_was_before() -> None:
    view = view_at(opening() + run("story", run_no=2, seed=3, until_s=5.1), 13.1)
    assert (view.digits, view.digits_role) == ("0", "faint")
    assert beside(view)[3].endswith(" before") and beside(view)[4] == "stalled 8 s"


def test_a_short_prefill_keeps_the_rows_and_a_long_one_counts_its_seconds() -> None:
    started = [item for item in CODE if not isinstance(item[1], Chunk) and item[0] <= 0]
    short = view_at(started, 1.5)
    assert figures(short)["TTFT"] == "1.00 s" and "per chunk" in figures(short)
    long = view_at(started, 12.4)
    assert (long.digits, long.digits_role) == ("12", "muted") and beside(long)[:2] == ["TTFT s", "counting"]
    assert figures(long)["used"] == "106.2 GB" and figures(long)["prompt"] == "38 tok"


def test_rows_that_do_not_fit_go_by_rank_and_six_to_spare_show_the_cell() -> None:
    view = view_at(CODE, 7.2)
    assert len(fitting_rows(view, 100)) == len(view.rows) + len(view.spare)
    assert len(fitting_rows(view, len(view.rows) + 3)) == len(view.rows)
    low = fitting_rows(view, 10)
    assert {"TTFT", "tokens", "per chunk", "accepted"} <= {row.name for row in low} and len(low) == 10
    assert [row.name for row in view.spare] == ["", "this cell", "run 1", "median"]
    assert fitting_rows(MeterView(rows=(Row("figure", "a"),) * 3), 2) == [Row("figure", "a")] * 2


def test_one_line_at_eighty_and_below_sixty() -> None:
    session, now_ns = session_at(CODE, 7.2)
    phase = phase_of(session, now_ns)
    mid = meter_text(session, phase, now_ns, small=False)
    assert mid.badge.startswith(" ≈ ") and mid.badge.endswith(" tok/s ") and mid.badge_role == "burst"
    said = ["".join(text for text, _, _ in field) for field in mid.fields]
    assert said[0] == "TTFT 1.08 s" and said[1].startswith("tok ≈ 3") and said[1].endswith("/800") and said[4] == "8/12 ≈ 1:12"
    small = ["".join(text for text, _, _ in field) for field in meter_text(session, phase, now_ns, small=True).fields]
    assert small[0] == "TTFT 1.08 s" and small[1].endswith(" tok") and small[2].endswith("/chunk")


def test_the_rate_of_a_finished_run_of_guessed_tokens_stays_marked_in_one_line() -> None:
    session, now_ns = session_at(STORY, 60.0)
    assert session.current is not None and session.current.record is not None
    record = session.current.record
    for guessed in (False, True):
        session.current.record = msgspec.structs.replace(record, tokens_estimated=guessed)
        badge = meter_text(session, phase_of(session, now_ns), now_ns, small=False).badge
        assert badge.startswith(" ≈ ") is guessed


async def test_no_figure_of_the_one_line_meter_is_ever_cut() -> None:
    async with on_stage(STORY, (80, 20)) as stage:
        await stage.at(13.4)
        whole = {"TTFT 0.60 s", "4.8/chunk"}
        for width in range(59, 23, -1):
            await stage.pilot.resize_terminal(width, 14)
            await stage.settle()
            fields = [field for field in stage.lines()[-1].split("  ") if field.strip()]
            assert fields[0].strip().endswith("tok/s")
            assert all(field.strip() in whole or field.strip().endswith(" tok") for field in fields[1:]), (width, fields)


def test_the_sparkline_moves_by_whole_cells_and_grows_its_scale() -> None:
    spark = SparkHistory()
    for tenth in range(400):
        spark.note(tenth * 100_000_000, 40.0 if tenth > 200 else 0.0)
    text = spark.text()
    assert len(text) == CELLS and text.endswith("▄▄▄") and text.startswith("▁")
    spark.note(40_000_000_000, 200.0)
    assert spark.text().endswith("▁▅")


@pytest.mark.parametrize(
    ("phase", "source", "said"),
    [
        (Phase("idle"), "live", "○ idle"),
        (Phase("prefill", 3.0), "live", "◌ prefill"),
        (Phase("stalled", 8.9), "live", "◌ no chunk for 8 s"),
        (Phase("stalled", 8.9), "replay", "◌ no chunk for 8 s"),
        (Phase("cut_off"), "live", "■ cut off"),
        (Phase("failed"), "live", "✕ failed"),
        (Phase("generating"), "replay", "▶ replay"),
        (Phase("generating"), "watch", "◉ watching"),
    ],
)
def test_states_have_a_glyph_and_words(phase: Phase, source: str, said: str) -> None:
    glyph, words, _ = state_of(phase, source)  # type: ignore[arg-type]
    assert f"{glyph} {words}" == said


async def test_the_header_drops_whole_fields_in_their_order_and_never_the_state() -> None:
    from sparktui.core.events import MemoryNow
    from sparktui.tui.widgets.header import Header, HeaderView
    from tests.tui.timelines import TABBY

    async with on_stage(CODE, (120, 36)) as stage:
        header = stage.app.screen.query_one(Header)
        memory = MemoryNow(total=121_000_000_000, used=106_200_000_000, available=1)
        fields = ("MTP draft", "ctx 384k", "mem 106.2", "tabbyapi", "Qwen-Next-exl3", "127.0.0.1:5000")
        seen = []
        for width in range(118, 20, -1):
            header.show(HeaderView(phase=Phase("generating"), info=TABBY, memory=memory))
            (strip,) = header.rows(width, 1)
            assert strip.cell_length == width and strip.text.rstrip().endswith("● generating")
            seen.append(tuple(field for field in fields if field in strip.text))
        assert list(dict.fromkeys(seen)) == [fields[n:] for n in range(7)]


def test_a_runs_title_names_prompt_temperature_and_number() -> None:
    session, _ = session_at(CODE, 3)
    assert run_title(session) == "code · T 0 · run 2/3" and run_title(session, short=True) == "code 2/3"
    single = [item for item in run("story", run_no=None, runs=None, temperature=1.0, bench_id=None) if item[0] <= 1]
    assert run_title(session_at(single, 1)[0]) == "story · T 1.0"


def test_the_pace_is_measured_against_what_the_run_before_was_compared_with() -> None:
    record = finished("code", run_no=1, minutes_ago=1)
    slower = msgspec.structs.replace(record, speedup=(record.server_tok_s or 0) / 20.0)
    assert float(beside(view_at(CODE, 9, (slower,)))[4].split("×")[0]) > float(beside(view_at(CODE, 9, (record,)))[4].split("×")[0])
