"""Commands that people are told to type."""

from __future__ import annotations

import pytest

from sparktui.io.calledas import as_called, called_as

CLONE = {"SPARKTUI_COMMAND": "./run.sh"}


@pytest.mark.parametrize("env", [{}, {"SPARKTUI_COMMAND": ""}])
def test_installed_it_is_sparktui(env: dict[str, str]) -> None:
    assert called_as(env) == "sparktui"
    assert as_called("sparktui watch --list", env) == "sparktui watch --list"


def test_from_a_checkout_it_is_what_was_typed() -> None:
    assert called_as(CLONE) == "./run.sh"
    assert as_called("look on: sparktui watch X (sparktui --help)", CLONE) == "look on: ./run.sh watch X (./run.sh --help)"
    assert called_as({"SPARKTUI_COMMAND": "/home/me/my tools/run.sh"}) == "'/home/me/my tools/run.sh'"


@pytest.mark.parametrize(
    "text", ["sparktui: The prompt is empty.", "sparktui was not found at HOST", "~/.local/share/sparktui/history", "the sparktui worker"]
)
def test_the_name_alone_stays(text: str) -> None:
    assert as_called(text, CLONE) == text
