"""`./run.sh shots`: the README's pictures, from the real screen with a real worker on the demo server, as SVG without outside fonts."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sparktui.cli import screen
from sparktui.cli.options import loader
from sparktui.cli.parser import Parser
from sparktui.core.commands import Configure
from sparktui.tui.start import Home, local_connect, options_of
from sparktui.tui.terminal import TerminalApp
from sparktui.tui.workers.spawner import Spawner

FOLDER = Path(__file__).parents[1] / "sparktui" / "docs" / "shots"
# name → (width, height, theme, keys and waits in seconds before the picture)
SHOTS: dict[str, tuple[int, int, str, Sequence[str | float]]] = {
    "live-code": (120, 36, "gruvbox", ("c", 9.0)),
    "live-story": (120, 36, "gruvbox", ("s", 9.0)),
    "finished-light": (120, 36, "spark-light", ("c", 19.0)),
    "small": (80, 24, "gruvbox", ("c", 7.0)),
}
_FONT_FACE = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)


def arguments() -> argparse.Namespace:
    """The command line `sparktui --demo`, as the screen gets it."""
    parser = Parser("sparktui", "the screen")
    screen.add_arguments(parser)
    args = parser.parse_args(["--demo"])
    args.remote, args.plan = False, None
    args.reload = loader(args)
    args.loaded = args.reload()
    return args


def without_outside_fonts(svg: str) -> str:
    """The picture in the reader's own monospace font: nothing is fetched when it is opened."""
    plain = _FONT_FACE.sub("", svg)
    return re.sub(r"<!--.*?-->", "", plain, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono")


async def shoot(name: str) -> str:
    """One picture as SVG text."""
    width, height, theme, steps = SHOTS[name]
    args = arguments()
    home = Home(args)
    connect = local_connect(Spawner(), args, (Configure(demo=True),))
    app = TerminalApp(connect, options_of(args.loaded), report=home.report, started=home.started)
    async with app.run_test(size=(width, height)) as pilot:
        app.theme = theme
        ready = asyncio.Event()
        app.once_ready(ready.set)
        await asyncio.wait_for(ready.wait(), 20)
        for step in steps:
            await (asyncio.sleep(step) if isinstance(step, float) else pilot.press(step))
        svg = app.export_screenshot(title="sparktui")
    home.close()
    if app.link is not None:
        app.link.close()
    return without_outside_fonts(svg)


def main(names: Sequence[str]) -> int:
    """Make the named pictures (all without names)."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or SHOTS:
        if name not in SHOTS:
            print(f"There is no picture {name!r}; known: {', '.join(SHOTS)}", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory() as data:
            os.environ["SPARKTUI_DATA_DIR"] = data
            path = FOLDER / f"{name}.svg"
            path.write_text(asyncio.run(shoot(name)), encoding="utf-8")
        print(path, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
