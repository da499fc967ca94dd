"""Exports: which format a path asks for, its bytes, and the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sparktui.core.nearest import did_you_mean
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import Cell, cells_of
from sparktui.errors import UsageError
from sparktui.io.atomic import check_writable, safe_name, write_atomic
from sparktui.report.export_csv import render_csv
from sparktui.report.export_json import render_json, render_jsonl
from sparktui.report.export_markdown import render_markdown

__all__ = ["FORMATS", "check_writable", "default_name", "format_of", "now_utc", "render", "write_atomic"]

FORMATS = ("md", "csv", "json", "jsonl")


def format_of(path: str | Path, asked: str | None = None) -> str:
    """The format: the one asked for, else by the path's suffix. Raises UsageError for any other."""
    name = (asked or Path(path).suffix.lstrip(".")).lower()
    name = {"markdown": "md", "ndjson": "jsonl"}.get(name, name)
    if name in FORMATS:
        return name
    known = ", ".join("." + item for item in FORMATS)
    if asked is None:
        raise UsageError(f"{path} does not say what to write.", hint=f"End it in {known}, or give --format.")
    raise UsageError(f"There is no export format {asked!r}.", hint=did_you_mean(asked, FORMATS) or f"Known are {', '.join(FORMATS)}.")


def render(
    records: Sequence[RunRecord],
    cells: Iterable[Cell] | None,
    format: str,
    *,
    exported_at: str | None = None,
    timeline: bool = False,
    text: bool = True,
    answers: bool = False,
    extra: Mapping[str, Any] | None = None,
    page: Sequence[str] = (),
) -> bytes:
    """The bytes of an export. `cells` None: computed from the runs. `exported_at`: UTC ISO 8601, default now.

    `extra`: more objects for json, by name; `page`: lines of Markdown for the top of a page.
    `timeline` and `text` concern json and jsonl (`text` csv too); `answers` puts the texts into a Markdown page. Raises UsageError for
    a format that is none of FORMATS.
    """
    stamp = exported_at or now_utc()
    if format == "md":
        return render_markdown(records, exported_at=stamp, answers=answers, page=page)
    if format == "csv":
        return render_csv(records, text=text)
    if format == "jsonl":
        return render_jsonl(records, timeline=timeline, text=text)
    if format == "json":
        groups = cells_of(records) if cells is None else cells
        return render_json(records, groups, exported_at=stamp, timeline=timeline, text=text, extra=extra)
    return render(records, cells, format_of("", format))


def now_utc() -> str:
    """The time now as exports write it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def default_name(records: Sequence[RunRecord], format: str) -> str:
    """A file name made of label, model and time, without anything a file name must not hold."""
    if not records:
        return f"runs.{format}"
    newest = max(records, key=lambda record: record.started_at)
    parts = [newest.label, newest.server.model.rsplit("/", 1)[-1], newest.started_at[:16].replace("T", "-").replace(":", "")]
    return "-".join(safe_name(part) for part in parts if part) + f".{format}"
