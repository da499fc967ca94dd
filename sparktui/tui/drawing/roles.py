"""Colour roles of the screens as styles, mixed from the theme: four of them no theme variable gives as a solid colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rich.style import Style
from textual.color import Color

Role = Literal[
    "text", "muted", "faint", "rule", "tint", "head", "cursor", "accent", "flow", "mid", "burst", "good", "bad", "background"
]  # fmt: skip

_THEME = {
    "text": "foreground", "background": "background", "head": "surface", "cursor": "panel", "accent": "accent",
    "flow": "primary", "mid": "accent", "burst": "warning", "good": "success", "bad": "error",
}  # fmt: skip
_MIXED_PERCENT = {"muted": (62, 68), "faint": (30, 30), "rule": (22, 22), "tint": (13, 10)}
_ANSI_DARK = {"muted": "ansi_white", "faint": "ansi_bright_black", "rule": "ansi_bright_black", "tint": "ansi_bright_black"}
_ANSI_LIGHT = {"muted": "ansi_bright_black", "faint": "ansi_white", "rule": "ansi_white", "tint": "ansi_white"}
_RAMP = ("flow", "mid", "burst")


class Roles:
    """Styles of one theme. `variables` are the theme's CSS variables; `colourless` (NO_COLOR) gives the ramp the text's colour."""

    def __init__(self, variables: Mapping[str, str], *, dark: bool, colourless: bool = False) -> None:
        self.dark = dark
        self.colours: dict[str, Color] = {role: _solid(variables, name) for role, name in _THEME.items()}
        self.colours.update(_mixed(self.colours["background"], self.colours["text"], dark=dark))
        if colourless:
            self.colours.update(dict.fromkeys(_RAMP, self.colours["text"]))
        self._styles: dict[tuple[str, str, bool, bool], Style] = {}

    def style(self, role: Role = "text", on: Role = "background", *, bold: bool = False, italic: bool = False) -> Style:
        """`role` as the colour of the text, `on` as its ground; always both, so that a row needs nothing from beneath it."""
        key = (role, on, bold, italic)
        if key not in self._styles:
            self._styles[key] = Style(
                color=self.colours[role].rich_color, bgcolor=self.colours[on].rich_color, bold=bold or None, italic=italic or None
            )
        return self._styles[key]

    def block(self, on: Role) -> Style:
        """Text on a ramp colour or on the accent: the background's colour, bold."""
        return self.style("background", on, bold=True)


def _solid(variables: Mapping[str, str], name: str) -> Color:
    colour = Color.parse(variables[name])
    if colour.ansi is not None or colour.a == 1:
        return colour
    return Color.parse(variables["background"]).blend(colour, colour.a, 1.0)


def _mixed(background: Color, foreground: Color, *, dark: bool) -> dict[str, Color]:
    if background.ansi is not None or foreground.ansi is not None:
        return {role: Color.parse(name) for role, name in (_ANSI_DARK if dark else _ANSI_LIGHT).items()}
    return {role: _blend(background, foreground, (shares[0] if dark else shares[1]) / 100) for role, shares in _MIXED_PERCENT.items()}


def _blend(background: Color, foreground: Color, share: float) -> Color:
    red, green, blue = (round(low + share * (high - low)) for low, high in zip(background.rgb, foreground.rgb, strict=True))
    return Color(red, green, blue)
