"""What machines do to a program: a full disk, a home that cannot be written, several of them at once."""

import os
import resource
import subprocess
import sys
from pathlib import Path

from sparktui.demo.process import DemoProcess
from sparktui.io.store.history import History

ROOT = Path(__file__).parents[1]
BENCH = [sys.executable, "-m", "sparktui", "bench", "--prompt", "Tell a story.", "--temps", "1.0", "--warmup", "0"]


def environment(folder: Path, data: str) -> dict[str, str]:
    return {**os.environ, "SPARKTUI_DATA_DIR": data, "PYTHONPATH": str(ROOT), "HOME": str(folder)}


def small_files() -> None:
    """As with a disk that is full: no file grows beyond 60 kB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_a_full_disk_is_told_and_costs_neither_the_table_nor_what_was_stored_before(tmp_path: Path) -> None:
    command = [*BENCH, "--demo", "--demo-speed", "40", "--runs", "6", "--max-tokens", "300"]
    env = environment(tmp_path, str(tmp_path / "data"))
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, preexec_fn=small_files, check=False)
    assert done.stdout.count("\n     ") >= 6 and "median" in done.stdout
    assert "could not be stored" in done.stderr and "Traceback" not in done.stderr
    listed = [sys.executable, "-m", "sparktui", "history", "list"]
    after = subprocess.run(listed, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert after.returncode == 0 and "simulated" in after.stdout


def test_without_a_place_for_its_files_a_bench_measures_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [*BENCH, "--demo", "--demo-speed", "40", "--runs", "1", "--max-tokens", "60"]
    env = environment(tmp_path, str(tmp_path / "file" / "data"))
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert "tok/s" in done.stdout and "cannot be made" in done.stderr and "Traceback" not in done.stderr


def test_a_worker_without_a_place_for_its_files_says_so_and_measures(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-m", "sparktui", "worker", "--demo-speed=40"]
    env = environment(tmp_path, str(tmp_path / "file" / "data"))
    worker = subprocess.Popen(command, env=env, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert worker.stdin and worker.stdout
    told = []
    worker.stdin.write(b'{"type":"configure","id":1,"demo":true}\n')
    worker.stdin.flush()
    for line in worker.stdout:
        told.append(line)
        if b'"state":"ready"' in line:
            worker.stdin.write(b'{"type":"run","id":2,"prompt":{"name":"p","text":"Hello."},"params":{"max_tokens":20}}\n')
            worker.stdin.flush()
        if b'"type":"run_done"' in line:
            break
    worker.stdin.close()
    worker.stdout.read()
    worker.stdout.close()
    worker.wait(10)
    assert b'"status":"ok"' in told[-1] and any(b'"type":"error"' in line and b"cannot be made" in line for line in told)


def test_three_at_once_lose_no_run(tmp_path: Path) -> None:
    env = environment(tmp_path, str(tmp_path / "data"))
    with DemoProcess.start(speed=40) as demo:
        command = [*BENCH, "--base-url", demo.base_url, "--runs", "5", "--max-tokens", "60"]
        running = [
            subprocess.Popen(
                [*command, "--label", label], env=env, cwd=tmp_path, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            for label in ("one", "two", "three")
        ]  # fmt: skip
        assert [process.wait(60) for process in running] == [0, 0, 0]
    with History.open(tmp_path / "data" / "history.sqlite3") as history:
        assert {label: history.count(f"label:{label}") for label in ("one", "two", "three")} == {"one": 5, "two": 5, "three": 5}
        assert not history.notes
