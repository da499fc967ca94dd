"""How the history opens: new, old, newer, foreign, damaged, read-only, on a network, with the disk full, by several processes."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import msgspec
import pytest

from sparktui.errors import StorageError
from sparktui.io.store import database, filesystem, schema
from sparktui.io.store.history import History
from sparktui.io.store.recordjson import plain
from sparktui.io.store.rows import pack_texts, started_s
from sparktui.io.store.timeline import pack_timeline
from tests.runs import run

ROOT = Path(__file__).parents[2]
VERSION_1 = "CREATE TABLE runs (id TEXT PRIMARY KEY, started_s REAL, label TEXT, record BLOB, texts BLOB, timeline BLOB)"


def version_1(path: Path, numbers: range) -> None:
    """A history as schema 1 wrote it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(VERSION_1)
        for number in numbers:
            record = run(number, flags=("not_idle",) if number == 2 else ())
            raw = plain(record)
            texts = {"prompt": raw["prompt"].pop("text"), "text": raw.pop("text"), "reasoning": None, "tool_calls": None}
            raw.pop("timeline")
            row = (record.id, started_s(record.started_at), record.label, msgspec.json.encode(raw), pack_texts(texts))
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", (*row, pack_timeline(record.timeline or ())))
        connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_version_1_is_migrated_with_everything_in_it(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    version_1(path, range(1, 4))
    with History.open(path) as history:
        assert "from version 1 to 2" in history.notes[0]
        assert history.get("run-000003", timeline=True) == run(3)
        assert [record.id for record in history.query("flag:not_idle T:0 client:>50")] == ["run-000002"]
        history.delete(["run-000001"])
    with History.open(path) as again:
        assert again.notes == ()
        assert again.count() == 2
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


def test_a_migrated_database_has_the_tables_of_a_new_one(tmp_path: Path) -> None:
    version_1(tmp_path / "old.sqlite3", range(1, 2))
    shapes = []
    for name in ("old.sqlite3", "new.sqlite3"):
        History.open(tmp_path / name).close()
        rows = sqlite3.connect(tmp_path / name).execute("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        shapes.append(rows.fetchall())
    assert shapes[0] == shapes[1]


def test_a_run_that_the_migration_cannot_read_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    version_1(path, range(1, 4))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE runs SET record = x'7b' WHERE id = 'run-000002'")
    with History.open(path) as history:
        assert history.count() == 2
    assert sqlite3.connect(path).execute("SELECT id, record FROM unreadable").fetchall() == [("run-000002", b"{")]


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.sqlite3"
    version_1(path, range(1, 4))
    before = path.read_bytes()

    def fails(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE runs")
        raise sqlite3.OperationalError("power cut")

    monkeypatch.setitem(schema._STEPS, 1, fails)
    with pytest.raises(StorageError):
        History.open(path)
    assert sqlite3.connect(path).execute("SELECT count(*) FROM runs").fetchone() == (3,)
    assert len(before) == path.stat().st_size
    monkeypatch.undo()
    assert History.open(path).count() == 3


def test_e09_a_newer_schema_opens_read_only_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with History.open(path) as history:
        history.add(run(1))
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE runs ADD COLUMN future TEXT")
        connection.execute("PRAGMA user_version = 99")
    with History.open(path) as history:
        assert history.read_only
        assert "newer" in history.notes[0]
        assert history.get("last").client_tok_s == 57.1
        with pytest.raises(StorageError, match="read-only"):
            history.add(run(2))
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (99,)


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="something else"):
        History.open(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    path.write_bytes(b"this was a history once\n" * 500)
    with History.open(path) as history:
        assert "damaged" in history.notes[0]
        history.add(run(1))
        assert history.count() == 1
    (aside,) = tmp_path.glob("history.sqlite3.damaged-*[0-9]")
    assert aside.read_bytes() == b"this was a history once\n" * 500
    assert History.open(path).notes == ()


def test_two_damages_in_one_second_keep_both_files(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    for content in (b"first" * 300, b"second" * 300):
        path.write_bytes(content)
        database.open_database(path, now_s=1_000_000.0).connection.close()
    kept = sorted(file.read_bytes()[:6] for file in tmp_path.glob("*.damaged-*"))
    assert kept == [b"firstf", b"second"]


def test_damage_found_while_writing_is_set_aside_and_the_next_try_stores(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with History.open(path) as history:
        history.add_all([run(number) for number in range(200)])
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with History.open(path) as history:
        with pytest.raises(StorageError, match="damaged"):
            history.add(run(999))
        history.add(run(999))
        assert [record.id for record in history.query()] == ["run-000999"]
        assert any("damaged" in note for note in history.notes)
    assert any(file.stat().st_size == size for file in tmp_path.glob("*.damaged-*"))


def test_a_second_opening_here_leaves_the_locks_of_the_first(tmp_path: Path) -> None:
    """Another process that ends must not take itself for the last one and remove the write-ahead log under the first connection."""
    path = tmp_path / "history.sqlite3"
    script = "import sys; from tests.runs import run; from sparktui.io.store.history import History; from pathlib import Path\n"
    script += "with History.open(Path(sys.argv[1])) as history: history.add(run(2))"
    with History.open(path) as first:
        first.add(run(1))
        History.open(path).close()
        with History.open(path) as second:
            subprocess.run([sys.executable, "-c", script, str(path)], cwd=ROOT, check=True, timeout=60)
            assert path.with_name(path.name + "-wal").exists()
            second.add(run(3))
        first.add(run(4))
        assert first.count() == 4
    with History.open(path) as history:
        assert history.count() == 4
    assert list(tmp_path.glob("*.damaged-*")) == []


def test_a_whole_file_is_not_set_aside_because_a_connection_went_bad(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with History.open(path) as history:
        history.add(run(1))
    opened = database.replace_damaged(path, database.inode_of(path))
    assert opened.notes == () and opened.inode == database.inode_of(path)
    assert opened.connection.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    opened.connection.close()
    assert list(tmp_path.glob("*.damaged-*")) == []


def test_a_history_whose_file_was_moved_writes_into_the_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with History.open(path) as history:
        history.add(run(1))
        database.set_aside(path, 0.0)
        history.add(run(2))
    with History.open(path) as history:
        assert [record.id for record in history.query()] == ["run-000002"]


def test_a_read_only_folder_opens_immutable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.sqlite3"
    with History.open(path) as history:
        history.add(run(1))
    monkeypatch.setattr(os, "access", lambda target, mode: not mode & os.W_OK)
    before = sorted(file.name for file in tmp_path.iterdir())
    with History.open(path) as history:
        assert history.read_only
        assert "cannot be written" in history.notes[0]
        assert [record.id for record in history.query()] == ["run-000001"]
        with pytest.raises(StorageError, match="read-only"):
            history.delete(["run-000001"])
    assert sorted(file.name for file in tmp_path.iterdir()) == before


def test_an_old_schema_in_a_read_only_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.sqlite3"
    version_1(path, range(1, 2))
    monkeypatch.setattr(os, "access", lambda target, mode: not mode & os.W_OK)
    with pytest.raises(StorageError, match="older version") as caught:
        History.open(path)
    assert "SPARKTUI_DATA_DIR" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made") as caught:
        History.open(tmp_path / "file" / "data" / "history.sqlite3")
    assert "SPARKTUI_DATA_DIR" in caught.value.hint


def test_wal_here_and_truncate_on_a_network_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mode(name: str) -> str:
        history = History.open(tmp_path / name)
        history.add(run(1))
        return str(history._connection.execute("PRAGMA journal_mode").fetchone()[0])

    monkeypatch.setattr(filesystem, "_mounts", lambda: [("/", "ext4")])
    assert mode("local.sqlite3") == "wal"
    monkeypatch.setattr(filesystem, "_mounts", lambda: [("/", "ext4"), (str(tmp_path), "nfs4")])
    assert mode("remote.sqlite3") == "truncate"


def test_mounts_are_read_with_their_escapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mounts"
    table.write_text("dev / ext4 rw 0 0\nhost:/x /mnt/my\\040disk nfs4 rw 0 0\nbroken\n")
    monkeypatch.setattr(filesystem, "_MOUNTS", table)
    monkeypatch.setattr(sys, "platform", "linux")
    assert filesystem._mounts() == [("/", "ext4"), ("/mnt/my disk", "nfs4")]
    assert filesystem.is_network(Path("/mnt/my disk/data"))
    assert not filesystem.is_network(Path("/mnt/my diskette"))


def test_e04_a_full_database_is_a_storage_error_and_the_old_runs_stay(tmp_path: Path) -> None:
    with History.open(tmp_path / "history.sqlite3") as history:
        history.add(run(1))
        pages = history._connection.execute("PRAGMA page_count").fetchone()[0]
        history._connection.execute(f"PRAGMA max_page_count = {pages}")
        noise = "".join(chr(0x4E00 + n * 7919 % 20000) for n in range(60_000))
        with pytest.raises(StorageError, match="disk is full") as caught:
            history.add(run(2, text=noise))
        assert caught.value.hint
        assert history.count() == 1
        history._connection.execute("PRAGMA max_page_count = 100000")
        history.add(run(2, text=noise))
        assert history.count() == 2


_LIMITED = """
    import resource, signal, sys
    from pathlib import Path
    from sparktui.errors import StorageError
    from sparktui.io.store.history import History
    from tests.runs import run
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    history = History.open(Path(sys.argv[1]))
    history.add(run(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    stored = 1
    try:
        for number in range(2, 500):
            history.add(run(number, text="%d " % number * 3000))
            stored += 1
    except StorageError as error:
        print(stored, error.title)
"""


def test_e04_a_file_size_limit_ends_in_a_storage_error_and_a_whole_database(tmp_path: Path) -> None:
    assert resource.RLIM_INFINITY
    path = tmp_path / "history.sqlite3"
    command = [sys.executable, "-c", textwrap.dedent(_LIMITED), str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    stored = int(done.stdout.split()[0])
    assert 1 <= stored < 499
    with History.open(path) as history:
        assert history.count() == stored
        history.add(run(500))


_WRITER = """
    import sys
    from pathlib import Path
    from sparktui.io.store.history import History
    from tests.runs import run
    history = History.open(Path(sys.argv[1]))
    for number in range(200):
        history.add(run(int(sys.argv[2]) * 1000 + number))
"""


def test_e02_two_processes_with_200_records_each_make_400(tmp_path: Path) -> None:
    path = tmp_path / "data" / "history.sqlite3"
    command = [sys.executable, "-c", textwrap.dedent(_WRITER), str(path)]
    writers = [subprocess.Popen([*command, str(number)], cwd=ROOT, stderr=subprocess.PIPE, text=True) for number in (1, 2)]
    for writer in writers:
        _, said = writer.communicate(timeout=60)
        assert writer.returncode == 0, said
    with History.open(path) as history:
        assert history.count() == 400
        assert len({record.id for record in history.stream()}) == 400


def test_many_threads_open_a_new_history_at_once(tmp_path: Path) -> None:
    path = tmp_path / "data" / "history.sqlite3"
    failures: list[BaseException] = []

    def store(number: int) -> None:
        try:
            with History.open(path) as history:
                history.add(run(number))
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=store, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert History.open(path).count() == 8


def test_a_busy_database_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.sqlite3"
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.05)
    with History.open(path) as history, sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="Another process"):
            history.add(run(1))
        other.execute("ROLLBACK")
        history.add(run(1))


def test_a_writer_that_is_killed_leaves_what_it_had_stored(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    script = textwrap.dedent(_WRITER) + "    print(number, flush=True)\n"
    writer = subprocess.Popen([sys.executable, "-c", script, str(path), "1"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(3):
        writer.stdout.readline()
    writer.kill()
    writer.stdout.close()
    writer.wait(timeout=10)
    with History.open(path) as history:
        assert history.count() >= 3
        history.add(run(1))
