"""docs/metrics.md as data: for each figure its name, formula and meaning, and the formula with one run's numbers in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources

from msgspec import Struct

_HEADING = re.compile(r"^### `(?P<field>\w+)` (?P<name>.+)$")
_FIELD = re.compile(r"`(\w+)`")


class Definition(Struct, frozen=True):
    """One figure as the documentation defines it. `formula` keeps field names in backticks."""

    field: str
    name: str
    formula: str
    meaning: str

    def plain_formula(self) -> str:
        """The formula with the fields' names as words."""
        return _FIELD.sub(lambda match: _word(match[1]), self.formula)

    def with_numbers(self, value_of: Callable[[str], str | None]) -> str:
        """The formula with this run's values in place of the fields; "" when one of them is not known or none is a field."""
        values = {name: value_of(name) for name in _FIELD.findall(self.formula)}
        if not values or any(value is None for value in values.values()):
            return ""
        return _FIELD.sub(lambda match: values[match[1]] or "", self.formula)


def _word(field: str) -> str:
    known = definitions().get(field)
    return known.name if known else field


def page(name: str) -> str:
    """The text of a page of the documentation (`metrics`, `servers`, `keys`, `troubleshooting`). Raises FileNotFoundError."""
    return resources.files("sparktui").joinpath("docs", f"{name}.md").read_text(encoding="utf-8")


def paragraphs(name: str, heading: str) -> list[str]:
    """The paragraphs below one `##` heading of a page, without their marks; [] where there is no such heading. Tables are left out."""
    _, found, rest = page(name).partition(f"\n## {heading}\n")
    body = re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0] if found else ""
    parts = [" ".join(part.split()) for part in body.split("\n\n")]
    return [part.replace("**", "").replace("`", "") for part in parts if part and not part.startswith("|")]


@cache
def definitions() -> dict[str, Definition]:
    """Every figure of docs/metrics.md by field name, in the page's order."""
    found: dict[str, Definition] = {}
    lines = page("metrics").splitlines()
    for start, line in enumerate(lines):
        if match := _HEADING.match(line):
            paragraphs = [text for text in lines[start + 1 : start + 5] if text]
            found[match["field"]] = Definition(match["field"], match["name"], paragraphs[0], paragraphs[1])
    return found
