from __future__ import annotations

from pathlib import Path

import pytest

import sparktui
from sparktui.demo.faults import MODES, Faults, UnknownModeError, faults_in


@pytest.mark.parametrize(
    ("model", "header", "faults"),
    [
        ("any-model", "", Faults()),
        ("demo+cut", "", Faults(cut_after=20)),
        ("demo+stall=4:2.5", "", Faults(stall_after=4, stall_s=2.5)),
        ("demo+error=0+no-usage", "", Faults(error_after=0, no_usage=True)),
        ("demo", "No-Draft, slow-prefill=3", Faults(no_draft=True, slow_prefill_s=3)),
        ("demo+loading=1.5", "401", Faults(loading_s=1.5, refused=True)),
    ],
)
def test_modes_are_read(model: str, header: str, faults: Faults) -> None:
    assert faults_in(model, header) == faults


@pytest.mark.parametrize("model", ["demo+explode", "demo+cut=", "demo+cut=x", "demo+=3"])
def test_what_is_no_mode_is_refused(model: str) -> None:
    with pytest.raises(UnknownModeError, match="newer-usage"):
        faults_in(model)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_does_something_and_is_in_the_documentation(mode: str) -> None:
    assert faults_in(f"demo+{mode}") != Faults()
    assert f"`{mode}" in (Path(sparktui.__file__).parent / "docs" / "demo.md").read_text()
