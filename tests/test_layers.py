"""The walls between the layers: imports point down only, core and servers are pure, and rooms stay small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sparktui"
LAYERS = ("core", "servers", "demo", "io", "engine", "report", "tui", "cli")
FILES = sorted(PACKAGE.rglob("*.py"))

IMPURE = {
    "asyncio", "datetime", "httpx", "http", "multiprocessing", "os", "pathlib", "platformdirs", "psutil", "rich", "secrets", "select",
    "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "textual", "threading", "time", "urllib.request",
    "watchfiles", "yaml",
}  # fmt: skip
"""What core and servers do without: I/O, clocks, threads. Chance only from a given seed."""


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and is_import_module(node):
            yield node.lineno, str(ast.literal_eval(node.args[0]))


def is_import_module(call: ast.Call) -> bool:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return name == "import_module" and bool(call.args) and isinstance(call.args[0], ast.Constant)


def layer_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE).parts
    return inside[0] if len(inside) > 1 else ""


def named(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def below(layer: str) -> set[str]:
    return set(LAYERS[: LAYERS.index(layer) + 1])


def has(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


@pytest.mark.parametrize("path", FILES, ids=named)
def test_imports_point_down_only(path: Path) -> None:
    layer = layer_of(path)
    if not layer:
        return
    assert layer in LAYERS, f"{layer} is no layer"
    for line, name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "sparktui" and len(parts) > 1 and parts[1] in LAYERS:
            assert parts[1] in below(layer), f"{named(path)}:{line}: {layer} imports {name}"


@pytest.mark.parametrize("path", [p for p in FILES if layer_of(p) in {"core", "servers"}], ids=named)
def test_core_and_servers_are_pure(path: Path) -> None:
    for line, name in imports_of(path):
        assert not any(has(name, module) for module in IMPURE), f"{named(path)}:{line} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_the_engine_never_paints_and_the_screen_never_measures(path: Path) -> None:
    inside = path.relative_to(PACKAGE).parts
    forbidden: tuple[str, ...] = ()
    if inside[0] in {"engine", "io", "demo"}:
        forbidden = ("textual", "rich")
    elif inside[:2] == ("tui", "widgets"):
        forbidden = ("httpx", "sparktui.io", "sparktui.engine")
    elif inside[0] == "tui":
        forbidden = ("httpx", "sparktui.io.http.client")
    elif inside[0] == "report":
        forbidden = ("httpx", "textual")
    for line, name in imports_of(path):
        assert not any(has(name, module) for module in forbidden), f"{named(path)}:{line} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_rooms_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, f"{named(path)} has {text.count(chr(10))} lines"
    assert path.stem not in {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 50, f"{named(path)}:{node.lineno} {node.name} has {length} lines"


def test_nothing_is_left_for_later() -> None:
    for path in FILES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert not any(word in line for word in ("TODO", "FIXME", "NotImplementedError")), f"{named(path)}:{number}"
