"""The stream panel: kinds of text, bursts, long and fast streams, resizing, selection, paste."""

from __future__ import annotations

import time

from textual.geometry import Offset
from textual.selection import Selection

from sparktui.core.commands import Run
from sparktui.core.events import Chunk, RunStarted
from sparktui.core.records import PromptInfo, RunParams
from sparktui.tui.widgets.prompt_bar import PromptInput, parse_value
from sparktui.tui.widgets.stream_view import StreamView
from tests.tui.scenes import CODE, OPTIONS
from tests.tui.stage import Stage, on_stage
from tests.tui.timelines import MIDDAY, T0_NS, TABBY, Script, opening


def started(run_id: str = "a") -> RunStarted:
    return RunStarted(
        run_id=run_id, prompt=PromptInfo(name="p", sha256="0"), params=RunParams(), t_send_ns=T0_NS, started_at=MIDDAY.isoformat(),
        server=TABBY, t_ns=T0_NS,
    )  # fmt: skip


def chunks(*parts: tuple[float, str, str] | tuple[float, str, str, str]) -> Script:
    """(seconds, kind, text[, label]) each, one chunk an entry."""
    script: Script = [*opening(), (0.0, started())]
    for n, (t_s, kind, text, *label) in enumerate(parts, 1):
        event = Chunk(run_id="a", n=n, kind=kind, text=text, label=label[0] if label else "", t_ns=T0_NS + round(t_s * 1e9))  # type: ignore[arg-type]
        script.append((t_s, event))
    return script


def text_rows(stage: Stage) -> list[str]:
    return [line[:81].rstrip() for line in stage.lines()[2:18]]


def style_at(stage: Stage, x: int, y: int):  # type: ignore[no-untyped-def]
    return stage.strips()[y].crop(x, x + 1)._segments[0].style


async def test_reasoning_is_labelled_and_dim_and_the_answer_begins_below_an_empty_line() -> None:
    script = chunks((0.2, "reasoning", "Let me think"), (0.4, "reasoning", " again."), (0.6, "content", "\n\nIt is 4."))
    async with on_stage(script) as stage:
        await stage.at(0.7)
        assert text_rows(stage)[:3] == ["  thinking  Let me think again.", "", "▌ It is 4."]
        muted = stage.app.roles.colours["muted"].rich_color
        style = style_at(stage, 14, 2)
        assert style.italic and style.color == muted
        assert style_at(stage, 4, 2).color == stage.app.roles.colours["faint"].rich_color


async def test_a_tool_call_is_named() -> None:
    script = chunks((0.2, "content", "Looking."), (0.4, "tool", '{"city":', "get_weather"), (0.6, "tool", '"Bern"}'))
    async with on_stage(script) as stage:
        await stage.at(0.7)
        assert text_rows(stage)[:3] == ["  Looking.", "", '▌ tool call get_weather  {"city":"Bern"}']


async def test_every_second_burst_is_tinted_and_the_newest_is_a_block_without_its_outer_white_space() -> None:
    script = chunks((0.2, "content", "aaaa "), (0.4, "content", "bbbb"), (0.6, "content", " cccc\n    "), (0.8, "content", "dddd "))
    async with on_stage(script) as stage:
        await stage.at(0.9)
        colours = stage.app.roles.colours
        ground = {letter: style_at(stage, text_rows(stage)[0].index(letter), 2).bgcolor for letter in "abc"}
        assert ground["a"] == ground["c"] == colours["background"].rich_color
        assert ground["b"] == colours["tint"].rich_color
        assert style_at(stage, 6, 3).bgcolor == colours["flow"].rich_color and style_at(stage, 6, 3).bold
        assert style_at(stage, 3, 3).bgcolor == style_at(stage, 10, 3).bgcolor == colours["background"].rich_color


async def test_chunks_of_one_burst_share_one_tint() -> None:
    script = chunks(*[(0.2, "content", "a")], *[(0.4 + n / 1000, "content", "b") for n in range(5)], (0.6, "content", "c"))
    async with on_stage(script) as stage:
        await stage.at(0.7)
        tint = stage.app.roles.colours["tint"].rich_color
        assert text_rows(stage)[0] == "▌ abbbbbc"
        assert {style_at(stage, x, 2).bgcolor for x in range(3, 8)} == {tint}


async def test_the_newest_block_becomes_a_tint_when_the_run_ends() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(10)
        blocks = {segment.style.bgcolor for strip in stage.strips()[2:18] for segment in strip.crop(0, 81) if segment.style}
        assert stage.app.roles.colours["burst"].rich_color in blocks
        await stage.at(16)
        blocks = {segment.style.bgcolor for strip in stage.strips()[2:18] for segment in strip.crop(0, 81) if segment.style}
        assert stage.app.roles.colours["burst"].rich_color not in blocks
        assert not any(line.startswith("▌ ") for line in text_rows(stage))


async def test_a_selection_is_copied_as_it_was_written_without_soft_breaks() -> None:
    words = "the lamp had burned for ninety-one years before Edda came to tend it, and it would burn for ninety more\nnext"
    async with on_stage(chunks((0.2, "content", words))) as stage:
        await stage.at(0.3)
        view = stage.app.screen.query_one(StreamView)
        found = view.get_selection(Selection(Offset(6, 0), Offset(6, 2)))
        assert found is not None and found[0] == words[4:].replace("next", "next"[:4])
        whole = view.get_selection(Selection(None, None))
        assert whole is not None and whole[0] == words


async def test_d11_y_sends_the_text_to_the_terminal_and_does_not_claim_more() -> None:
    async with on_stage(chunks((0.2, "content", "some text"))) as stage:
        await stage.at(0.3)
        await stage.press("y")
        await stage.settle()
        assert stage.app.clipboard == "some text"
        assert "9 characters sent to the terminal" in stage.text()


async def test_d17_twenty_thousand_chunks_at_once_are_all_there_and_painted_in_one_frame() -> None:
    script = [*opening(), (0.0, started())]
    script += [
        (0.5, Chunk(run_id="a", n=n, kind="content", text=f"word{n} ", t_ns=T0_NS + 500_000_000 + n * 1000)) for n in range(1, 20_001)
    ]
    async with on_stage(script) as stage:
        await stage.at(0.4)
        stage.clock.ns += 200_000_000
        began = time.perf_counter()
        stage.app.tick()
        assert time.perf_counter() - began < 1.0
        await stage.settle()
        text = stage.app.screen.query_one(StreamView).text.text()
        assert text.count("word") == 20_000 and text.endswith("word20000 ")
        assert "20,000" in stage.text()


async def test_a_frame_costs_the_same_after_fifty_thousand_tokens() -> None:
    async def cost(stage: Stage, n: int) -> float:
        best = 1.0
        for _ in range(5):
            n += 1
            stage.link.add(Chunk(run_id="a", n=n, kind="content", text=" and some more words", t_ns=stage.clock.ns))
            stage.clock.ns += 100_000_000
            began = time.perf_counter()
            stage.app.tick()
            stage.app.screen._on_timer_update()
            best = min(best, time.perf_counter() - began)
        return best

    async with on_stage(chunks((0.2, "content", "start"))) as stage:
        await stage.at(0.4)
        short = await cost(stage, 10)
        for n in range(100, 600):
            stage.link.add(Chunk(run_id="a", n=n, kind="content", text="lorem ipsum dolor sit " * 20, t_ns=stage.clock.ns + n))
        await stage.at(1.0)
        assert len(stage.app.screen.query_one(StreamView).text) > 2_000
        long = await cost(stage, 10_000)
    assert long < 4 * short + 0.004


async def test_d08_resizing_while_streaming_keeps_every_character() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        for step in range(40):
            await stage.pilot.resize_terminal(60 + step * 3 % 80, 20 + step % 25)
            await stage.at(1 + step / 4)
        view = stage.app.screen.query_one(StreamView)
        said = "".join(event.text for t_s, event in CODE if isinstance(event, Chunk) and t_s <= 1 + 39 / 4)
        assert view.text.text() == said
        assert stage.app.session.current.columns.column_of(stage.clock.ns) == 107  # type: ignore[union-attr]


async def test_d20_a_paste_of_many_lines_is_one_prompt_without_control_bytes() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("i")
        line = stage.app.screen.query_one(PromptInput)
        line.paste("a\r\nb\x1b[31m\x07\tc")
        assert line.value == "a↵b[31m    c"
        await stage.press("enter")
        (command,) = [command for command in stage.link.sent if isinstance(command, Run)]
        assert command.prompt.text == "a\nb[31m    c"


async def test_d20_what_a_terminal_would_not_draw_as_it_is_is_named_and_sent_whole() -> None:
    for text in ("a\u202eb", "\U0001f469\u200d\U0001f469 two", "x\ud800y"):
        async with on_stage(opening(), options=OPTIONS) as stage:
            await stage.press("i")
            line = stage.app.screen.query_one(PromptInput)
            line.paste(text)
            assert line.value.startswith("‹pasted ")
            assert stage.widths() == {120}
            await stage.press("enter")
            (command,) = [command for command in stage.link.sent if isinstance(command, Run)]
            assert command.prompt.text == text


async def test_d18_a_huge_paste_is_named_not_shown_and_sent_whole() -> None:
    huge = "word " * 500_000
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("i")
        line = stage.app.screen.query_one(PromptInput)
        line.paste(huge)
        assert line.value == "‹pasted 2,500,000 characters, no. 1›"
        await stage.press("enter")
        (command,) = [command for command in stage.link.sent if isinstance(command, Run)]
        assert command.prompt.text == huge


async def test_text_pasted_while_no_line_has_the_focus_is_not_taken_for_keys() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        from textual.events import Paste

        stage.app.post_message(Paste("squash bugs"))
        await stage.settle()
        await stage.settle()
        assert stage.app.screen.query_one(PromptInput).value == "squash bugs"
        assert stage.link.sent == []


def test_values_are_numbers_or_unset() -> None:
    assert parse_value("temperature", "0.7") == 0.7 and parse_value("temperature", "0,7") == 0.7
    assert parse_value("temperature", "0") == 0 and isinstance(parse_value("temperature", "0"), int)
    assert parse_value("temperature", "") is None and parse_value("max tokens", "unset") is None
    assert parse_value("max tokens", "1,200") == 1200
    for what, text in (("temperature", "-1"), ("temperature", "nan"), ("max tokens", "0"), ("max tokens", "1.5")):
        try:
            parse_value(what, text)  # type: ignore[arg-type]
        except ValueError:
            continue
        raise AssertionError((what, text))


async def test_text_marked_with_the_mouse_is_what_y_copies() -> None:
    async with on_stage(chunks((0.2, "content", "first line here\nsecond line here"))) as stage:
        await stage.at(0.3)
        await stage.pilot.mouse_down("#stream", offset=(8, 0))
        await stage.pilot.hover("#stream", offset=(8, 1))
        await stage.pilot.mouse_up("#stream", offset=(8, 1))
        await stage.settle()
        assert stage.app.screen.get_selected_text() == "line here\nsecond "
        assert style_at(stage, 12, 2).bgcolor != style_at(stage, 4, 2).bgcolor == style_at(stage, 14, 3).bgcolor
        await stage.press("y")
        assert stage.app.clipboard == "line here\nsecond "
