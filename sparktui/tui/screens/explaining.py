"""Opening the explanation of runs: what `sparktui explain` prints, as a page."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App

from sparktui.core.records import RunRecord


def open_explanation(app: App[int], runs: Sequence[RunRecord], peers: Sequence[RunRecord]) -> None:
    """One run beside the other runs of its cell (`peers`), or several: each cell's median run, then all together."""
    from sparktui.report.explaining import explained
    from sparktui.tui.runview.explain_rows import explain_rows
    from sparktui.tui.screens.reading import ReadingScreen

    ordered = sorted(runs, key=lambda run: (run.started_at, run.id))
    parts = explained(ordered, peers if len(ordered) == 1 else ())
    simulated = any(run.simulated for run in ordered)
    about = f"{len(ordered)} runs" if len(ordered) > 1 else f"run {ordered[0].id}"
    app.push_screen(ReadingScreen("Explained", about, lambda width: explain_rows(parts, width, simulated=simulated)))
