"""A history as long as one likes, made quickly: real rows copied with other ids, times and speeds."""

from __future__ import annotations

from pathlib import Path

from sparktui.io.store.history import History
from sparktui.io.store.rows import LIGHT_COLUMNS
from tests.runs import run

SEED = 500
_LABELS = ("shipped", "no draft", "chunk 4096", "draft thr 0.6")


def long_history(path: Path, runs: int) -> History:
    """An open history of `runs` (a multiple of 500) with 4 KB of text each, ten minutes apart."""
    history = History.open(path)
    records = []
    for n in range(SEED):
        flags = ("not_idle",) if n % 250 == 0 else ()
        records.append(run(n, label=_LABELS[n % 4], prompt="code" if n % 3 else "story", text="word " * 800, flags=flags))
    history.add_all(records)
    light = ", ".join(name for name in LIGHT_COLUMNS if name not in ("started_s", "client_tok_s"))
    copy = (
        f"INSERT INTO runs (id, started_s, client_tok_s, {light}, record, texts, timeline) "
        f"SELECT id || '-' || n, started_s - n * 600.0, client_tok_s + n % 13 - 6, {light}, record, texts, timeline "
        "FROM runs, (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT n FROM c) WHERE id NOT LIKE '%-%-%'"
    )
    history._connection.execute(copy, (runs // SEED - 1,))
    assert history.count() == runs
    return history
