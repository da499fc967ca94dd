"""The same screen in a browser: loopback only, nothing from outside, one process a page. Needs the extra `web`."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

from sparktui.errors import UsageError

HOST = "127.0.0.1"
_TEMPLATES = Path(__file__).parent / "web"


class WebView(Server):
    """Serves the screen at `http://127.0.0.1:PORT`. `argv` is the command each page runs."""

    def __init__(self, argv: Sequence[str], port: int) -> None:
        super().__init__(shlex.join(argv), host=HOST, port=port, title="sparktui", templates_path=_TEMPLATES)
        self._own = {f"http://{name}:{port}" for name in (HOST, "localhost")}

    def initialize_logging(self) -> None:
        """Warnings as plain lines: the default prints local variables with every traceback."""
        logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)

    async def on_startup(self, app: web.Application) -> None:
        print(f"the screen is at {self.public_url} (this machine only); Ctrl-C ends it", file=sys.stderr, flush=True)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A page of another site must not drive this terminal: only our own pages may connect."""
        if request.headers.get("Origin") not in self._own or f"http://{request.host}" not in self._own:
            raise web.HTTPForbidden(text="This screen can only be used from its own page.")
        return await super().handle_websocket(request)


def serve(argv: Sequence[str], port: int) -> None:
    """Serve until interrupted. Raises UsageError when the port is taken."""
    view = WebView(argv, port)
    try:
        view.serve()
    except OSError as error:
        raise UsageError(f"Port {port} cannot be used: {error.strerror}.", hint="Name another with --port.") from error
