"""The live screen as text, in every state and at four sizes. `SPARKTUI_GOLDEN=write` writes the frames anew: look at them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.scenes import OPTIONS, SCENES
from tests.tui.stage import on_stage

GOLDEN = Path(__file__).parent.parent / "golden" / "tui"
SIZES = ((50, 24), (80, 24), (120, 36), (200, 50))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCENES)
async def test_frame(name: str, size: tuple[int, int]) -> None:
    scene = SCENES[name]
    async with on_stage(scene.script, size, OPTIONS, records=scene.records) as stage:
        await stage.at(scene.at_s)
        assert stage.widths() == {size[0]}
        frame = stage.text() + "\n"
    path = GOLDEN / f"{name}-{size[0]}x{size[1]}.txt"
    if os.environ.get("SPARKTUI_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(frame, encoding="utf-8")
    assert frame == path.read_text(encoding="utf-8")
