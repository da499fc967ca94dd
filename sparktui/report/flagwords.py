"""What each flag of a run means, in the words of the documentation."""

from __future__ import annotations

import re
from functools import cache

from sparktui.report.definitions import page

_ROW = re.compile(r"^\| `(?P<flag>\w+)` \| (?P<means>.+) \|$")


@cache
def flag_words() -> dict[str, str]:
    """Flag → what it means, from the table in docs/metrics.md."""
    found = {}
    for line in page("metrics").splitlines():
        if match := _ROW.match(line):
            found[match["flag"]] = match["means"].replace("`", "")
    return found
