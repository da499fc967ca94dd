"""What the keys of the live screen do, and what the screen says of it."""

from __future__ import annotations

import pytest

from sparktui.core.commands import Bench, CancelRun, RetryServer, Run
from sparktui.core.events import ErrorEvent, LogLine, Server
from sparktui.core.log.logrecord import LogRecord
from sparktui.tui.screens.confirm import Confirm
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.log_panel import LogPanel
from sparktui.tui.widgets.prompt_bar import PromptBar
from sparktui.tui.widgets.stream_view import StreamView
from tests.tui.scenes import BEFORE, CODE, OPTIONS, SCENES, STORY
from tests.tui.stage import Stage, on_stage
from tests.tui.timelines import DEMO, T0_NS, TABBY, log_lines, opening, run


def footer(stage: Stage) -> str:
    return stage.lines()[-1]


def sent(stage: Stage, kind: type) -> list:  # type: ignore[type-arg]
    return [command for command in stage.link.sent if isinstance(command, kind)]


async def test_s_and_c_send_the_presets_with_the_parameters_on_the_screen() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("s")
        await stage.press("t")
        await stage.press(*"0.7", "enter")
        await stage.press("T")
        await stage.press("backspace", "backspace", "backspace", *"64", "enter")
        await stage.press("c")
        story, code = sent(stage, Run)
        assert (story.prompt.name, story.params.temperature, story.params.max_tokens) == ("story", 0, 800)
        assert (code.prompt.name, code.params.temperature, code.params.max_tokens) == ("code", 0.7, 64)
        assert "T 0.7  max 64" in stage.lines()[-2]


async def test_a_wrong_value_is_refused_with_what_is_right_and_changes_nothing() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("t")
        await stage.press("backspace", *"warm", "enter")
        assert "temperature is a number from 0 up" in stage.text()
        await stage.press("escape")
        assert "T 0  max 800" in stage.lines()[-2]


async def test_a_typed_prompt_is_sent_and_recalled() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("i")
        await stage.press(*"hi there", "enter")
        assert [(command.prompt.name, command.prompt.text) for command in sent(stage, Run)] == [("prompt", "hi there")]
        await stage.press("i")
        await stage.press("up")
        assert stage.app.screen.query_one(PromptBar).line.value == "hi there"
        await stage.press("escape")
        assert isinstance(stage.app.focused, StreamView)


async def test_b_asks_first_and_says_what_will_run() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("b")
        assert isinstance(stage.app.screen, Confirm)
        assert "8 requests, 1 at a time, label default, max 800 tokens" in stage.text()
        await stage.press("escape")
        assert not sent(stage, Bench)
        await stage.press("b")
        await stage.press("enter")
        assert len(sent(stage, Bench)) == 1


async def test_x_cancels_the_run_and_is_listed_only_while_one_runs() -> None:
    async with on_stage(opening() + run("code", run_no=2, seed=3), options=OPTIONS) as stage:
        await stage.at(3)
        assert "x cancel" in footer(stage)
        await stage.press("x")
        assert [command.run_id for command in sent(stage, CancelRun)] == ["code-2-3"]
        await stage.at(20)
        assert "x cancel" not in footer(stage)
        await stage.press("x")
        assert len(sent(stage, CancelRun)) == 1


async def test_x_in_a_bench_cancels_the_plan() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(3)
        await stage.press("x")
        assert [(command.run_id, command.everything) for command in sent(stage, CancelRun)] == [(None, True)]


async def test_escape_twice_cancels_and_once_only_says_so() -> None:
    async with on_stage(opening() + run("code", run_no=2, seed=3), options=OPTIONS) as stage:
        await stage.at(3)
        await stage.press("escape")
        assert "esc again cancels the run" in stage.text() and not sent(stage, CancelRun)
        await stage.at(6)
        await stage.press("escape")
        assert not sent(stage, CancelRun)
        await stage.press("escape")
        assert len(sent(stage, CancelRun)) == 1


async def test_a_run_goes_on_around_a_question() -> None:
    async with on_stage(opening() + run("story", run_no=2, seed=3), options=OPTIONS) as stage:
        await stage.at(3)
        await stage.press("s")
        before = stage.lines()
        await stage.at(9)
        after = stage.lines()
        assert "A run is in flight." in stage.text()
        assert before[2] != after[2], "the stream moves"
        assert [line for line in before if "so far" in line] != [line for line in after if "so far" in line], "the meter moves"
        asked = next(y for y, line in enumerate(before) if "A run is in flight." in line)
        assert "A run is in flight." in after[asked], "the question stays where it is"
        await stage.press("escape")
        assert "A run is in flight." not in stage.text()


async def test_a_second_prompt_while_one_runs_asks_queue_or_cancel() -> None:
    async with on_stage(opening() + run("code", run_no=2, seed=3), options=OPTIONS) as stage:
        await stage.at(3)
        await stage.press("s")
        assert "A run is in flight." in stage.text() and not sent(stage, Run)
        await stage.press("q")
        assert [command.prompt.name for command in sent(stage, Run)] == ["story"]
        await stage.press("c")
        await stage.press("x")
        assert [type(command).__name__ for command in stage.link.sent] == ["Run", "CancelRun", "Run"]


async def test_d13_ctrl_c_cancels_a_run_then_offers_to_quit() -> None:
    async with on_stage(opening() + run("code", run_no=2, seed=3), options=OPTIONS) as stage:
        await stage.at(3)
        await stage.press("ctrl+c")
        assert len(sent(stage, CancelRun)) == 1
        await stage.at(20)
        await stage.press("ctrl+c")
        assert "Quit?" in stage.text()
        await stage.press("ctrl+c")
        assert stage.app.return_value == 0


async def test_q_asks_while_a_run_is_in_flight() -> None:
    async with on_stage(opening() + run("code", run_no=2, seed=3), options=OPTIONS) as stage:
        await stage.at(3)
        await stage.press("q")
        assert "What arrived so far is kept." in stage.text()
        await stage.press("escape")
        assert stage.app.return_value is None
        await stage.press("q")
        await stage.press("q")
        assert stage.app.return_value == 0 and len(sent(stage, CancelRun)) == 1


async def test_v_cycles_the_views_and_the_head_says_which() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(7.2)
        seen = []
        for _ in range(3):
            await stage.press("v")
            seen.append(stage.lines()[1].split("view ")[1].split()[0])
        assert seen == ["heat", "plain", "chunks"]


async def test_scrolling_up_keeps_the_place_and_counts_new_lines_until_the_end_is_reached_again() -> None:
    async with on_stage(STORY, options=OPTIONS) as stage:
        await stage.at(16)
        await stage.press("pageup")
        top = stage.lines()[2][:81]
        assert "▼" in stage.lines()[1]
        await stage.at(22)
        assert stage.lines()[2][:81] == top
        assert "new lines" in stage.lines()[1]
        await stage.press("end")
        assert "following" in stage.lines()[1]


async def test_the_end_is_followed_in_jumps_of_four_rows() -> None:
    async with on_stage(STORY, options=OPTIONS) as stage:
        view = stage.app.screen.query_one(StreamView)
        tops = set()
        for tenth in range(10, 240, 7):
            await stage.at(tenth / 10)
            tops.add(view._top)
        assert len(tops) > 3
        assert all(top % 4 == 0 for top in tops)


async def test_space_pauses_the_focused_panel_only_and_loses_nothing() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(5)
        await stage.press("space")
        assert "‖ paused" in stage.lines()[0]
        text = stage.lines()[2:18]
        await stage.at(9)
        assert [line[:81] for line in stage.lines()[2:18]] == [line[:81] for line in text]
        assert "9.0 s" in stage.text()
        await stage.press("space")
        assert "paused" not in stage.lines()[0]
        assert stage.app.screen.query_one(StreamView).text.text() == "".join(
            event.text for t_s, event in CODE if type(event).__name__ == "Chunk" and t_s <= 9
        )


@pytest.mark.parametrize(("key", "title"), [("1", "Stream"), ("2", "Meter"), ("3", "Server log"), ("4", "History")])
async def test_z_gives_the_focused_panel_everything_between_header_and_footer(key: str, title: str) -> None:
    async with on_stage(CODE, options=OPTIONS, records=BEFORE) as stage:
        await stage.at(7.2)
        await stage.press(key, "z")
        lines = stage.lines()
        assert lines[1].startswith(f"▌{title}")
        assert not any(line.startswith("▌") and title not in line and line[1:2].isalpha() for line in lines[2:])
        assert "b bench" in lines[-1] and len(lines) == 36
        await stage.press("escape")
        assert "▌History" in stage.text() and "▌Stream" in stage.text()


async def test_the_zoomed_meter_is_the_stage_view_with_digits_of_double_size() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(16)
        await stage.press("2", "z")
        assert any("████████████ " in line for line in stage.lines())


async def test_tab_moves_through_the_panels_in_sight() -> None:
    async with on_stage(CODE, options=OPTIONS, records=BEFORE) as stage:
        await stage.at(1)
        seen = []
        for _ in range(5):
            seen.append(stage.app.focused.id)  # type: ignore[union-attr]
            await stage.press("tab")
        assert seen == ["stream", "meter", "log", "history", "stream"]


async def test_unreachable_offers_retry_and_the_demo_and_counts_down() -> None:
    scene = SCENES["unreachable"]
    async with on_stage(scene.script, (80, 24), OPTIONS, records=scene.records) as stage:
        await stage.at(1.2)
        assert "next try by itself in 4 s" in stage.text()
        assert "r retry   D demo" in footer(stage) and "s story" not in footer(stage)
        assert "prompt off: no server" in stage.text()
        await stage.at(3.1)
        assert "next try by itself in 2 s" in stage.text()
        await stage.press("s", "i")
        await stage.press("r")
        await stage.press("D")
        assert [(type(command), command.demo) for command in stage.link.sent] == [(RetryServer, False), (RetryServer, True)]
        stage.link.add(Server(state="ready", info=DEMO, t_ns=T0_NS))
        await stage.at(3.3)
        assert "DEMO SERVER" in stage.lines()[0] and "Nothing is running." in stage.text()


async def test_several_servers_are_listed_and_a_digit_chooses() -> None:
    found = Server(state="probing", candidates=("http://127.0.0.1:5000", "http://127.0.0.1:8080"), t_ns=T0_NS)
    async with on_stage([opening()[0], (0.0, found)], options=OPTIONS) as stage:
        assert "Several servers answered." in stage.text()
        await stage.press("9")
        await stage.press("2")
        assert [command.base_url for command in sent(stage, RetryServer)] == ["http://127.0.0.1:8080"]


async def test_the_log_filters_shows_raw_lines_and_keeps_its_place() -> None:
    async with on_stage(opening() + log_lines(), options=OPTIONS) as stage:
        await stage.press("3", "slash")
        await stage.press(*"received 4f", "enter")
        panel = stage.app.screen.query_one(LogPanel)
        assert panel.filter == "received 4f" and isinstance(stage.app.focused, LogPanel)
        assert "c0d113" not in stage.text()
        await stage.press("slash")
        await stage.press(*["backspace"] * 11, "enter")
        assert "c0d113  794 tok" in stage.text()
        await stage.press("r")
        assert "c0d113" not in stage.text() and "raw" in stage.text()
        await stage.press("r")
        for n in range(2000, 2010):
            stage.link.add(LogLine(record=LogRecord(n=n, text=f"line {n}"), t_ns=T0_NS))
            await stage.settle()
        await stage.press("up", "up")
        assert "▼ 2 new lines" in stage.text()
        stage.link.add(LogLine(record=LogRecord(n=2010, text="line 2010"), t_ns=T0_NS))
        await stage.settle()
        assert "▼ 3 new lines" in stage.text() and "line 2010" not in stage.text()
        await stage.press("end")
        assert "line 2010" in stage.text()


async def test_a_generation_record_is_linked_to_its_run_by_name() -> None:
    async with on_stage(CODE, options=OPTIONS, records=BEFORE) as stage:
        await stage.at(16)
        session = stage.app.session
        session.log_links = {998: next(record.id for record in BEFORE if record.prompt.name == "story"), 1000: "code-2-3"}
        session.rev.log += 1
        await stage.settle()
        story, code = [line for line in stage.lines() if "◀" in line]
        assert story.startswith(" 12:04:16 ◆ c0d113") and story.endswith("◀ story 3")
        assert code.startswith(" 12:04:31 ◆ 4f1c9a  794 tok") and code.endswith("◀ run 2")


async def test_the_history_cursor_stays_on_its_run_marks_sorts_and_shows_medians() -> None:
    async with on_stage(CODE, options=OPTIONS, records=BEFORE) as stage:
        await stage.at(3)
        await stage.press("4", "down")
        table = stage.app.screen.query_one(HistoryTable)
        chosen = table.cursor_id
        await stage.at(20)
        assert table.cursor_id == chosen and len(stage.app.session.records) == 5
        await stage.press("a", "down", "a")
        assert list(table.marks.values()) == ["A", "B"]
        await stage.press("a")
        assert list(table.marks.values()) == ["A"]
        await stage.press("m")
        assert "cells, medians of 5 runs" in stage.text() and "n 2" in stage.text()
        await stage.press("m", "o", "o")
        assert "▾prompt" in stage.text()
        await stage.press("slash")
        await stage.press(*"code", "enter")
        assert "2 runs   /code" in stage.text()


async def test_an_error_of_the_worker_is_told_with_its_hint_and_never_read_as_markup() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        stage.link.add(ErrorEvent(title="The log [bold cannot be read", detail="/var/log/[x]\x1b[31m", hint="check its mode"))
        await stage.settle()
        await stage.settle()
        assert "The log [bold cannot be read" in stage.text()
        assert "/var/log/[x]␛[31m" in stage.text() and "→ check its mode" in stage.text()


async def test_small_screens_open_the_prompt_over_the_last_line() -> None:
    async with on_stage(STORY, (50, 20), OPTIONS) as stage:
        await stage.at(5)
        assert "tok/s" in stage.lines()[-1]
        await stage.press("i")
        assert "type a prompt" in stage.lines()[-1]
        await stage.press("escape")
        assert "tok/s" in stage.lines()[-1]


async def test_a_gone_worker_is_said_when_something_is_sent() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        stage.link.close()
        await stage.press("s")
        assert "the measuring process is gone" in stage.text()


async def test_a_replay_can_be_watched_but_nothing_be_sent() -> None:
    import msgspec

    options = msgspec.structs.replace(OPTIONS, source="replay")
    async with on_stage(CODE, options=options) as stage:
        await stage.at(7.2)
        assert "▶ replay" in stage.lines()[0]
        assert "s story" not in footer(stage) and "x cancel" not in footer(stage)
        await stage.press("s", "c", "b", "x", "i")
        assert stage.link.sent == []


async def test_memory_is_painted_only_on_a_change_of_a_tenth_of_a_gigabyte() -> None:
    from sparktui.core.events import MemoryNow

    async with on_stage(opening(TABBY), options=OPTIONS) as stage:
        assert "mem 106.2 / 121.0 GB" in stage.lines()[0]
        stage.link.add(MemoryNow(total=121_000_000_000, used=106_270_000_000, available=1))
        await stage.settle()
        assert "mem 106.2 /" in stage.lines()[0]
        stage.link.add(MemoryNow(total=121_000_000_000, used=106_310_000_000, available=1))
        await stage.settle()
        assert "mem 106.3 /" in stage.lines()[0]


async def test_an_error_is_told_once_whatever_is_painted_afterwards() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        stage.link.add(ErrorEvent(title="The disk is full"))
        await stage.settle()
        await stage.press("2", "3", "1", "v")
        await stage.settle()
        assert len(stage.app._notifications) == 1


async def test_a_key_is_answered_before_the_next_frame() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(7.2)
        stage.app._timer.pause()  # type: ignore[union-attr]
        await stage.pilot.press("v")
        await stage.pilot.pause(0)
        assert "view heat" in stage.lines()[1]


async def test_an_idle_screen_looks_less_often_and_wakes_when_something_is_sent() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.at(8)
        assert stage.app.paint_clock.period_s == pytest.approx(0.25)
        await stage.press("s")
        assert stage.app.paint_clock.period_s <= 0.1 + 1e-9
