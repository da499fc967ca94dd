"""`report` as people run it: which runs, which files, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparktui.cli import reportruns
from sparktui.cli.main import main
from sparktui.cli.reportruns import runs_of
from sparktui.errors import UsageError
from sparktui.io.paths import history_path
from sparktui.io.store.history import History
from sparktui.report.export_json import render_jsonl
from sparktui.report.page import render
from tests.report.page.samples import bench, needles, sweep
from tests.runs import run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder beside a history of a bench, needles and a sweep."""
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with History.open(history_path()) as history:
        history.add_all([*bench(), *needles(), *sweep()])
    return tmp_path / "here"


def ids(*names: str, where: str = "") -> list[str]:
    return [record.id for record in runs_of(names, where)]


def test_runs_by_every_name_people_have_for_them(folder: Path) -> None:
    newest = [record.id for record in sweep()]
    assert ids() == newest, "without a name: the newest bench"
    assert ids("last") == newest[-1:]
    assert ids("last", "3") == newest[-3:]
    assert ids("run-000001") == ["run-000001"]
    assert ids("no draft") == newest[-3:]
    assert ids("label:shipped prompt:code") == ["run-000000", "run-000001", "run-000002", "run-000003"]
    assert ids("bench:needles", "last") == ["run-000030", "run-000031", newest[-1]]
    assert ids(where="-prompt:json -prompt:needle T:0 -warmup:yes prompt:code") == ["run-000001", "run-000002", "run-000003"]
    assert len(ids("reference")) == 19
    assert ids("run-000001", "label:shipped prompt:code").count("run-000001") == 1


def test_runs_of_a_file_and_their_timelines(folder: Path) -> None:
    (folder / "some.jsonl").write_bytes(render_jsonl(bench()[:2], timeline=True))
    found = runs_of(["some.jsonl"])
    assert [record.id for record in found] == ["run-000000", "run-000001"]
    assert found[1].timeline == bench()[1].timeline and found[1].text is None and found[1].prompt.text
    assert runs_of(["run-000001"])[0].timeline == found[1].timeline


def test_runs_of_a_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = folder / "0mx4-session.jsonl"
    journal.write_bytes(render_jsonl([run(77)]))
    monkeypatch.setattr(reportruns, "_journal", lambda name: journal if name == "0mx4" else None)
    assert ids("0mx4") == ["run-000077"]
    with pytest.raises(UsageError, match="'0mx5' is neither a label nor a run"):
        runs_of(["0mx5"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nothing-like-it"], "'nothing-like-it' is neither a label nor a run nor a filter"),
        (["--filter", "prompt:poem"], "No run fits the filter"),
        (["gone.jsonl"], "There is no file gone.jsonl"), (["last", "0"], "The last 0 runs are none."),
        (["last", "--out", "x.csv"], ".csv is an export"), (["last", "--out", "x"], "does not say what to write"),
        (["last", "--out", "sub"], "is a folder"), (["last", "--baseline", "shiped"], "No chosen run has the label 'shiped'"),
        (["last", "--strips", "some"], "invalid choice"), (["last", "--out", "old.html"], "exists already"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_anything_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    (folder / "sub").mkdir()
    (folder / "old.html").write_text("old")
    if words[-1] == "sub":
        words = [*words, "--format", "html"]
    assert main(["report", *words, "--out", "new.md"]) == 2
    out, err = capsys.readouterr()
    assert why in err and out == ""
    assert sorted(path.name for path in folder.iterdir()) == ["old.html", "sub"] and (folder / "old.html").read_text() == "old"


def test_an_empty_history_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["report"]) == 2
    assert "The history is empty." in capsys.readouterr().err
    assert main(["report", "last", "5"]) == 2
    assert "There is no run to report on." in capsys.readouterr().err
    assert not list(tmp_path.glob("*.html"))


def test_both_forms_at_once_and_replaced_only_when_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["report", "status:ok", "--out", "page.html", "--out", "page.md", "--title", "Two forms"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["page.html", "page.md"] and "19 runs, 9 sections" in err
    assert (folder / "page.html").stat().st_mode & 0o777 == 0o600
    assert "<h1>Two forms</h1>" in (folder / "page.html").read_text() and (folder / "page.md").read_text().startswith("# Two forms\n")
    assert main(words) == 2
    assert main([*words, "--force"]) == 0


def test_a_name_of_its_own_where_none_is_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "run-000001"]) == 0
    assert capsys.readouterr().out.strip() == "report-shipped-Qwen-Next-exl3-2026-11-30-1200.html"
    assert main(["report", "run-000001", "--format", "md"]) == 0
    assert (folder / "report-shipped-Qwen-Next-exl3-2026-11-30-1200.md").exists()


def test_prompts_can_be_left_out(folder: Path) -> None:
    assert main(["report", "run-000001", "--out", "with.html"]) == 0
    assert main(["report", "run-000001", "--no-prompt", "--out", "without.html"]) == 0
    assert "thread-safe" in (folder / "with.html").read_text() and "thread-safe" not in (folder / "without.html").read_text()
    assert "import threading" not in (folder / "with.html").read_text(), "what the model said is on no page"


def test_without_the_library_the_hint_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    assert main(["report", "last", "--out", "page.html"]) == 2
    assert "./run.sh report" in capsys.readouterr().err
    assert main(["report", "last", "--out", "page.md"]) == 0


def test_the_command_for_real_on_a_pipe(folder: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0", "LC_ALL": "C"}
    command = [sys.executable, "-m", "sparktui", "report", "reference", "--out", "-", "--format", "html"]
    done = subprocess.run(command, check=False, env=env, capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.startswith(b"<!DOCTYPE html>") and "57.3 tok/s" in done.stdout.decode()


def test_the_library_is_only_loaded_for_a_page_that_needs_it(folder: Path) -> None:
    code = (
        "import json, sys\nfrom sparktui.cli.main import main\nmain(['report', 'last', '--out', 'page.md'])\n"
        "print(json.dumps([name for name in ('svg', 'textual', 'httpx') if name in sys.modules]))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], check=True, env=env, capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout.splitlines()[-1]) == []
