"""The rows of cells: their columns at every width."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.tui.drawing.roles import Roles
from sparktui.tui.history.cell_rows import cell_row, cell_table, longest_of
from tests.tui.cells import cells
from tests.tui.test_compare_rows import VARIABLES, entries

ROLES = Roles(VARIABLES, dark=True)


@pytest.mark.parametrize("times", [1, 10, 100])
def test_a_range_is_whole_or_not_there_at_any_width(times: int) -> None:
    faster = [msgspec.structs.replace(record, client_tok_s=(record.client_tok_s or 0) * times) for record in cells()]
    found = entries(faster, "chunk 4096")
    span = {1: "56.4 – 57.9", 10: "564.0 – 579.0", 100: "5,640 – 5,790"}[times]
    shown = set()
    for width in range(44, 161):
        table = cell_table(width, 100.0, longest_of(found))
        text = cell_row(found[0], table, width, ROLES).text
        assert (span in text) is any(column.key == "range" for column in table.columns)
        assert span in text or " – " not in text
        shown.add((width >= 120, span in text))
    assert (True, True) in shown and (True, False) not in shown and (False, False) in shown
