"""Golden files and a fixed time zone for pages that print times."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparktui.core.records import RunRecord
from sparktui.io.store.history import History
from sparktui.io.store.importing import REFERENCE, import_file

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def golden() -> Callable[[str, bytes], None]:
    """Compare with tests/golden/NAME; SPARKTUI_GOLDEN=write writes it anew."""

    def check(name: str, data: bytes) -> None:
        path = GOLDEN / name
        if os.environ.get("SPARKTUI_GOLDEN") == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert data.decode() == path.read_bytes().decode()

    return check


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> list[RunRecord]:
    """The published runs."""
    with History.open(tmp_path_factory.mktemp("reference") / "history.sqlite3") as history:
        import_file(history, REFERENCE)
        return [history.get(record.id) for record in history.query(sort="started_at")]
