"""The theme chosen on the screen is the theme of the next start, until the configuration itself names another one."""

from __future__ import annotations

from textual.theme import Theme

from sparktui.io.screenstate import load_screen_state, remember_theme
from sparktui.tui.app import SparkApp

_NOT_KEPT = "It holds until you quit: the data folder cannot be written."


def dress(app: SparkApp) -> None:
    """Give an app that does not run yet the theme that was chosen last."""
    app.theme = load_screen_state().theme_over(app.options.ui.theme, app.available_themes)


def follow_theme(app: SparkApp) -> None:
    """Keep whatever theme is chosen from now on; not the one that is set already, and not one that the configuration asks for."""
    last = app.theme

    def changed(theme: Theme) -> None:
        nonlocal last
        if theme.name == last:
            return
        last = theme.name
        if not remember_theme(theme.name, app.options.ui.theme):
            app.notify(_NOT_KEPT, title="theme", severity="warning", markup=False)

    app.theme_changed_signal.subscribe(app, changed)
