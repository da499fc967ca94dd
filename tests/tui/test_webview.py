"""The screen in a browser: its own page only, nothing from outside, and (with Chromium) painted for real."""

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--window-size=1280,800", "about:blank",
)  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    env = {**os.environ, "SPARKTUI_DATA_DIR": str(tmp_path / "data")}
    server = subprocess.Popen(
        [sys.executable, "-m", "sparktui", "web", "--demo", f"--port={port}"], env=env, cwd=tmp_path, stderr=subprocess.PIPE
    )
    assert server.stderr is not None
    assert f"127.0.0.1:{port}" in server.stderr.readline().decode()
    yield f"http://127.0.0.1:{port}"
    server.send_signal(signal.SIGINT)
    server.wait(10)
    server.stderr.close()


async def fetched(address: str) -> tuple[str, int, int]:
    async with aiohttp.ClientSession() as session:
        page = await (await session.get(address)).text()
        statuses = []
        for origin in ("http://evil.example", address):
            try:
                socket_ = await session.ws_connect(f"{address}/ws?width=80&height=24", origin=origin)
                statuses.append(101)
                await socket_.close()
            except aiohttp.WSServerHandshakeError as refused:
                statuses.append(refused.status)
        return page, statuses[0], statuses[1]


def test_only_its_own_page_may_connect_and_nothing_comes_from_outside(address: str) -> None:
    page, foreign, own = asyncio.run(fetched(address))
    assert (foreign, own) == (403, 101)
    outside = [url for url in re.findall(r"https?://[^\s\"']+", page) if not url.startswith(address)]
    assert outside == []


def test_a_taken_port_is_said_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [sys.executable, "-m", "sparktui", "web", f"--port={taken.getsockname()[1]}"]
        said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=20, check=False)
    assert said.returncode == 2
    assert "cannot be used" in said.stderr and "--port" in said.stderr and "Traceback" not in said.stderr


class Browser:
    """A page in headless Chromium, driven over its debugging socket."""

    def __init__(self, socket_: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket_
        self._id = 0

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        self._id += 1
        await self._socket.send_json({"id": self._id, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = await self._socket.receive_json(timeout=20)
            if answer.get("id") == self._id:
                return dict(answer["result"])

    async def value(self, expression: str) -> Any:
        return (await self.call("Runtime.evaluate", expression=expression))["result"].get("value")

    async def until(self, expression: str) -> None:
        for _ in range(150):
            if await self.value(expression):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"never true: {expression}")


async def look(debugging: str, address: str) -> tuple[bytes, bytes]:
    """Open the page, press `c`; PNGs of what is on it before and a while later."""
    import base64

    async with aiohttp.ClientSession() as session:
        pages = await (await session.get(f"http://127.0.0.1:{debugging}/json/list")).json()
        url = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        async with session.ws_connect(url, max_msg_size=0) as socket_:
            browser = Browser(socket_)
            await browser.call("Page.navigate", url=address)
            await browser.until("document.body && document.body.classList.contains('-first-byte')")
            await asyncio.sleep(1.5)
            before = await browser.call("Page.captureScreenshot", format="png")
            await browser.value("document.querySelector('textarea').focus()")
            await browser.call("Input.dispatchKeyEvent", type="keyDown", text="c", key="c", code="KeyC", windowsVirtualKeyCode=67)
            await browser.call("Input.dispatchKeyEvent", type="keyUp", key="c", code="KeyC", windowsVirtualKeyCode=67)
            await asyncio.sleep(4)
            after = await browser.call("Page.captureScreenshot", format="png")
            return base64.b64decode(before["data"]), base64.b64decode(after["data"])


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (Debian: apt install chromium)")
def test_a_browser_shows_the_running_screen(address: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    profile = tmp_path / "profile"
    chromium = subprocess.Popen(
        [CHROMIUM, f"--user-data-dir={profile}", *_FLAGS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        port_file = profile / "DevToolsActivePort"
        deadline = time.monotonic() + 20
        while not (port_file.exists() and port_file.read_text().count("\n")) and time.monotonic() < deadline:
            time.sleep(0.05)
        before, after = asyncio.run(look(port_file.read_text().split("\n")[0], address))
    finally:
        os.killpg(chromium.pid, signal.SIGKILL)
        chromium.wait(10)
    if keep := os.environ.get("SPARKTUI_WEB_PNG"):
        Path(keep).write_bytes(after)
    # a card of text does not compress to the size of an empty page (8 kB at this window), and a running stream is more than the card
    assert before.startswith(b"\x89PNG") and len(before) > 40_000
    assert len(after) > len(before) + 3_000
