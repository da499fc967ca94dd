"""Text of models, servers, logs and users in every part of the screen: nothing raw, nothing read as markup, widths right."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import msgspec
import pytest

from sparktui.core.events import Chunk, ErrorEvent, LogLine, LogState, RunDone, RunStarted, Server
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.tui.options import Options
from tests.tui.scenes import PROMPTS
from tests.tui.stage import Stage, on_stage
from tests.tui.timelines import MIDDAY, T0_NS, TABBY, Script, finished, opening

CASES = Path(__file__).parent.parent / "fixtures" / "cases"
MARKUP = json.loads((CASES / "D01" / "markup.json").read_text(encoding="utf-8"))
WIDTHS = (CASES / "D05" / "widths.txt").read_text(encoding="utf-8")

HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b[10Aup",
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b]0;title\x1b\\ \x9b2J \x90q\x9c",
    "abc\u202edef\u2066x",
    "[/] [link=http://x]y [@click=app.quit]press[/] [bold",
    "10%\r20%\r30%\x08\x7f\x00",
    "a\tb\vc\fd",
    "👩\u200d👩\u200d👧\u200d👦 ☺\ufe0f 🇨🇭 漢字 z̸̢͎" + "\u0301" * 30,
    "lone \ud800 surrogate",
    "x" * 100_000,
)


def unsafe(stage: Stage) -> list[str]:
    """Characters of the screen that a terminal would act on."""
    return [
        character
        for strip in stage.strips()
        for segment in strip
        for character in segment.text
        if unicodedata.category(character) in ("Cc", "Cs", "Cf") or character in "\u2028\u2029"
    ]


def everywhere(text: str) -> tuple[Script, RunRecord]:
    """`text` as model output, reasoning, tool name, model, version, prompt, label, log line, log source and error."""
    info = ServerInfo(kind="openai", base_url=f"http://{text[:60]}", model=text, ctx=4096, draft=text)
    started = RunStarted(
        run_id="h", prompt=PromptInfo(name=text, sha256="0"), params=RunParams(temperature=0), t_send_ns=T0_NS, server=info,
        started_at=MIDDAY.isoformat(), label=text, t_ns=T0_NS,
    )  # fmt: skip
    script: Script = [
        (0.0, Server(state="ready", info=info, t_ns=T0_NS)),
        (0.0, LogState(state="denied", source=text, reason=text, t_ns=T0_NS)),
        (0.0, started),
        *[
            (0.5 + n / 10, Chunk(run_id="h", n=n, kind=kind, text=text, label=text if kind == "tool" else "", t_ns=T0_NS + 500_000_000 + n))
            for n, kind in enumerate(("reasoning", "content", "tool"), 1)
        ],
        (0.9, LogLine(record=LogRecord(n=1, text=text, time=text, level="error"), t_ns=T0_NS)),
        (0.9, LogLine(record=LogRecord(n=2, text=text, generation=Generation(grammar="x", request_id=text, task=text)), t_ns=T0_NS)),
    ]  # fmt: skip
    record = finished("story", id="old", server=info, label=text, prompt=PromptInfo(name=text, sha256="1"), flags=("not_idle",))
    return script, record


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (50, 20)], ids=str)
@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_hostile_text_in_every_part_of_the_screen(number: int, size: tuple[int, int]) -> None:
    script, record = everywhere(HOSTILE[number])
    async with on_stage(script, size, Options(prompts=PROMPTS), records=[record]) as stage:
        for seconds in (0.3, 0.85, 1.0, 4.0):
            await stage.at(seconds)
            assert unsafe(stage) == []
            assert stage.widths() == {size[0]}
        failed = msgspec.structs.replace(record, id="h", status="failed", error=HOSTILE[number])
        stage.link.add(RunDone(run_id="h", status="failed", record=failed, error=HOSTILE[number], t_ns=T0_NS + 4_000_000_000))
        stage.link.add(ErrorEvent(title=HOSTILE[number][:200], detail=HOSTILE[number][:200], hint=HOSTILE[number][:200]))
        await stage.settle()
        assert unsafe(stage) == [] and stage.widths() == {size[0]}


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=str)
async def test_hostile_text_on_the_cards(size: tuple[int, int]) -> None:
    for text in HOSTILE:
        gone = Server(state="unreachable", cause=text, hint=text, info=ServerInfo(kind="openai", base_url=text), t_ns=T0_NS)
        options = Options(address=text, address_origin=text)
        async with on_stage([opening()[0], (0.0, gone)], size, options) as stage:
            assert unsafe(stage) == [] and stage.widths() == {size[0]}
            stage.link.add(Server(state="probing", candidates=(text, text), t_ns=T0_NS))
            await stage.settle()
            assert unsafe(stage) == [] and stage.widths() == {size[0]}


async def test_d01_markup_is_shown_literally_everywhere() -> None:
    for text in MARKUP:
        script, record = everywhere(text)
        async with on_stage(script, options=Options(prompts=PROMPTS), records=[record]) as stage:
            await stage.at(1.2)
            shown = stage.text()
            # the stream, tool name and text, header, panel head and log at least
            assert shown.count(text) >= 5, (text, shown)
            stage.app.screen.say(text)  # type: ignore[attr-defined]
            await stage.settle()
            assert stage.text().count(text) > shown.count(text) - 2


async def test_d03_colour_codes_are_made_visible() -> None:
    script, record = everywhere("\x1b[31mred\x1b[0m \x1b[10Aup")
    async with on_stage(script, records=[record]) as stage:
        await stage.at(1.2)
        assert "␛[31mred␛[0m ␛[10Aup" in stage.text()


async def test_d05_wide_joined_and_combining_characters_keep_the_columns() -> None:
    script, record = everywhere(WIDTHS)
    async with on_stage(script, records=[record]) as stage:
        await stage.at(1.2)
        assert stage.widths() == {120}
        rule = {strip.crop(81, 82).text for strip in stage.strips()[1:23]}
        assert rule == {"│"}
        for line in ("漢字かな交じり文", "👩👩👧👦 family", "☺ vs ☺", "CH flag", "zerowidth"):
            assert line in stage.text()


async def test_d06_direction_overrides_do_not_turn_the_line() -> None:
    script, record = everywhere("abc\u202edef")
    async with on_stage(script, records=[record]) as stage:
        await stage.at(1.2)
        assert "abc␦def" in stage.text() and "\u202e" not in stage.text()


async def test_d07_no_size_breaks_the_screen_and_it_comes_back_whole() -> None:
    script, record = everywhere("plain text " * 30)
    async with on_stage(script, (120, 36), records=[record]) as stage:
        await stage.at(1.2)
        before = stage.text()
        for size in ((80, 24), (60, 15), (40, 10), (20, 5), (24, 4), (10, 2), (1, 1), (3, 40), (300, 100), (120, 36)):
            await stage.pilot.resize_terminal(*size)
            await stage.settle()
            assert stage.widths() == {size[0]}, size
        assert stage.text().splitlines()[0] == before.splitlines()[0]
        assert stage.text().count("plain text") >= before.count("plain text")


async def test_twenty_by_five_has_header_three_rows_of_text_and_the_rate() -> None:
    from tests.tui.scenes import CODE, OPTIONS

    async with on_stage(CODE, (20, 5), OPTIONS) as stage:
        await stage.at(7.2)
        lines = stage.lines()
        assert lines[0].startswith(" ● code 2/3") and lines[4].strip() == "≈ 46 tok/s"
        assert any(line.strip() for line in lines[1:4])


async def test_smaller_than_that_keeps_the_state_and_the_rate() -> None:
    from tests.tui.scenes import CODE, OPTIONS

    async with on_stage(CODE, (14, 1), OPTIONS) as stage:
        await stage.at(7.2)
        assert stage.lines() == ["●  ≈ 46 tok/s"]


async def test_a_crlf_cut_between_two_chunks_is_one_line_end() -> None:
    started = RunStarted(
        run_id="h", prompt=PromptInfo(name="p", sha256="0"), params=RunParams(), t_send_ns=T0_NS, started_at=MIDDAY.isoformat(),
        server=TABBY,
    )  # fmt: skip
    script: Script = [*opening(), (0.0, started)]
    for n, text in enumerate(("one\r", "\ntwo\r", "x"), 1):
        script.append((0.2, Chunk(run_id="h", n=n, kind="content", text=text, t_ns=T0_NS + n)))
    async with on_stage(script) as stage:
        await stage.at(0.3)
        text = [line[:20].strip() for line in stage.lines()[2:4]]
        assert text == ["▌ one", "▌ two␍x"]
