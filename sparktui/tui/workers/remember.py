"""A theme that was chosen on the screen is told to whoever keeps it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App
from textual.theme import Theme


def follow_theme(app: App[int], remember: Callable[[str], object]) -> None:
    """Call `remember(name)` whenever another theme is chosen from now on; not for the one that is set already."""
    last = app.theme

    def changed(theme: Theme) -> None:
        nonlocal last
        if theme.name != last:
            last = theme.name
            remember(theme.name)

    app.theme_changed_signal.subscribe(app, changed)
