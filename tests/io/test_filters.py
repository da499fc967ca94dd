"""What the documentation says of filters is what they do, and times are counted from the clock that is given."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.errors import UsageError
from sparktui.io.store.filters import is_filter, parse_filter, parse_sort

NOW = datetime(2026, 11, 30, 15, 30).astimezone()


def documented() -> list[str]:
    page = resources.files("sparktui").joinpath("docs", "history.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `") and "." not in line.split("|")[1]]
    return [example for row in rows for example in re.findall(r"`([^`]+)`", row)]


def test_every_documented_filter_is_understood() -> None:
    assert len(documented()) > 15
    for example in documented():
        assert parse_filter(example, NOW).sql != "1"
        assert is_filter(example) == (":" in example)


def test_every_documented_figure_can_be_filtered_and_sorted_by() -> None:
    page = resources.files("sparktui").joinpath("docs", "history.md").read_text(encoding="utf-8")
    (names,) = re.findall(r"figures: ([^|]+) \|", page)
    for name in names.split(", "):
        parse_filter(f"{name}:>1", NOW)
        assert parse_sort(f"-{name}").endswith("rowid DESC")


@pytest.mark.parametrize(
    ("filter", "moment"),
    [
        ("since:today", NOW.replace(hour=0, minute=0)),
        ("since:yesterday", NOW.replace(hour=0, minute=0) - timedelta(days=1)),
        ("since:12h", NOW - timedelta(hours=12)),
        ("until:2w", NOW - timedelta(weeks=2)),
        ("since:2026-11-30", datetime(2026, 11, 30).astimezone()),
        ("since:2026-11-30T12:00+00:00", datetime.fromisoformat("2026-11-30T12:00+00:00")),
    ],
)
def test_times(filter: str, moment: datetime) -> None:
    assert parse_filter(filter, NOW).values == (moment.timestamp(),)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_a_usage_error(text: str) -> None:
    try:
        clause = parse_filter(text, NOW)
    except UsageError:
        return
    assert clause.sql.count("?") == len(clause.values)
