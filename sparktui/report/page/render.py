"""A report's file: which form a path asks for, and the bytes of a page in it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from sparktui.core.nearest import did_you_mean
from sparktui.errors import UsageError
from sparktui.report.export import FORMATS
from sparktui.report.page.markdown import render_page_markdown
from sparktui.report.page.parts import Page

Form = Literal["html", "md"]
FORMS: tuple[Form, ...] = ("html", "md")
_LIBRARY = "svg"


def form_of(path: str | Path, asked: str | None = None) -> Form:
    """The form asked for, else by the path's suffix. Raises UsageError for any other, and for HTML where its library is missing."""
    name = (asked or Path(path).suffix.lstrip(".")).lower()
    name = {"htm": "html", "markdown": "md"}.get(name, name)
    form = next((form for form in FORMS if form == name), None)
    if form is None:
        raise _unknown(str(path), name, asked)
    if form == "html" and find_spec(_LIBRARY) is None:
        raise UsageError(
            "An .html report needs the extra `report`.",
            hint="./run.sh report installs it; else: pip install 'sparktui[report]'. A .md report needs nothing more.",
        )
    return form


def render_page(page: Page, form: Form) -> bytes:
    """The bytes of the file."""
    if form == "md":
        return render_page_markdown(page)
    from sparktui.report.page.html import render_html

    return render_html(page)


def _unknown(path: str, name: str, asked: str | None) -> UsageError:
    if name in FORMATS:
        title = f"A report is .html or .md; .{name} is an export."
        return UsageError(title, hint="sparktui history export RUN --out FILE writes it.")
    if asked is None:
        return UsageError(f"{path} does not say what to write.", hint="End it in .html or .md, or give --format.")
    return UsageError(f"There is no report format {asked!r}.", hint=did_you_mean(asked, FORMS) or "Known are html and md.")
