"""Hostile text on the screens over the live one: history, comparisons, a run, its text, the log, dialogs, lines to type in, help."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sparktui.core.records import PromptInfo, RunRecord, ServerInfo
from sparktui.tui.options import Options
from tests.tui.cells import cells
from tests.tui.desk import Desk, at_desk
from tests.tui.test_hostile import HOSTILE, everywhere, unsafe

# every page that can be reached, with what opens on it
WALK = (
    "h", "slash", "escape", "L", "escape", "e", "escape", "o", "a", "down", "a", "d", "escape", "m", "delete", "escape",
    "enter", "enter", "down", "end", "enter", "v", "w", "escape", "escape", "escape", "escape",
    "l", "slash", "escape", "r", "escape", "question_mark", "tab", "escape", "ctrl+p", "escape", "q",
)  # fmt: skip


def runs(text: str) -> list[RunRecord]:
    """Two cells whose every word is `text`."""
    server = ServerInfo(kind="openai", base_url="http://h:1", model=text, version=text, draft=text, cache_mode=text)
    changed = {"server": server, "label": text, "error": text, "text": text, "reasoning": text, "warnings": (text,), "retries": (text,)}
    found = []
    for n, record in enumerate(cells()[:8]):
        prompt = PromptInfo(name=text if n % 2 else f"{text} ", sha256=str(n % 2), text=text)
        found.append(msgspec.structs.replace(record, prompt=prompt, finish_reason=text, **changed))
    return found


async def walk(desk: Desk, width: int) -> set[str]:
    """Go everywhere; the screens that were there."""
    stage, seen = desk.stage, set()
    for key in WALK:
        await desk.press(key)
        seen.add(type(stage.app.screen).__name__)
        assert unsafe(stage) == [], (key, stage.text())
        assert stage.widths() == {width}, key
        if key in ("slash", "L", "e"):
            line = stage.app.focused
            paste = getattr(line, "paste", None)
            if paste is not None:
                paste("a\u202eb\x1b[31m \U0001f469\u200d\U0001f469\tc\r\nd")
                await desk.answer()
                assert unsafe(stage) == [], (key, stage.text())
    return seen


ALL = " ".join(HOSTILE[:-1])


@pytest.mark.parametrize(
    ("text", "size"),
    [(ALL, (120, 36)), (ALL, (80, 24)), (HOSTILE[7] * 40, (120, 36)), (HOSTILE[-1], (100, 30))],
    ids=["wide-screen", "small-screen", "clusters", "one-long-word"],
)
async def test_hostile_text_on_every_page(text: str, size: tuple[int, int], tmp_path: Path) -> None:
    # what a record holds came through JSON, where half a character cannot stand
    kept = text.encode("utf-8", "replace").decode()[:5_000]
    script, _ = everywhere(text)
    async with at_desk(runs(kept), tmp_path, size, script=script, options=Options(address=text), known=runs(kept)) as (stage, desk):
        await stage.at(1.2)
        await desk.answer()
        seen = await walk(desk, size[0])
    assert seen >= {"LiveScreen", "HistoryScreen", "RunScreen", "TextScreen", "LogScreen", "HelpScreen", "CommandPalette"}, seen
