"""What stands in the stream while there is no text."""

from __future__ import annotations

import pytest

from sparktui.core.config import BenchConfig
from sparktui.core.events import Server
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.live import cards
from tests.tui.test_compare_rows import VARIABLES

ROLES = Roles(VARIABLES, dark=True)


@pytest.mark.parametrize("simulated", [True, False])
def test_only_the_demo_server_is_known_to_send_so_many_tokens_a_chunk(simulated: bool) -> None:
    rows = cards.first_start(81, 22, ROLES, simulated=simulated, bench=BenchConfig(), command="sparktui")
    said = "\n".join(row.text for row in rows)
    assert ("16 tokens a chunk" in said) is simulated and ("5 tokens a chunk" in said) is simulated
    assert "stream code" in said and "stream a story" in said


@pytest.mark.parametrize("cause", ["Nothing listens there.", "Nothing listens there.\nThe address comes from: option --base-url."])
def test_where_the_address_comes_from_is_said_once(cause: str) -> None:
    rows = cards.unreachable(
        81, 22, ROLES, server=Server(state="unreachable", cause=cause, hint="Start it."), address="http://h:1",
        origin="option --base-url", retry_s=4, runs=0, command="sparktui",
    )  # fmt: skip
    assert "\n".join(row.text for row in rows).count("option --base-url") == 1
