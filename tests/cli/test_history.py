"""`sparktui history …` as it is typed: data on stdout, talk on stderr, exit codes, nothing done without a yes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from sparktui.cli.main import main
from sparktui.core.events import Hello, RunStarted, encode_event
from sparktui.core.records import RunParams
from sparktui.errors import EXIT_OK, EXIT_RUN_FAILED, EXIT_USAGE
from sparktui.io.paths import history_path, journal_path
from sparktui.io.store.history import History
from tests.runs import SERVER, prompt_info, run


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def filled(data: Path) -> Path:
    with History.open() as history:
        for number, speed in enumerate((57.1, 57.3, 57.7), start=1):
            history.add(run(number, client_tok_s=speed, run_no=number))
        for number, speed in enumerate((29.0, 29.1, 29.2), start=11):
            history.add(run(number, label="no draft", client_tok_s=speed, run_no=number - 10))
        history.add(run(20, prompt="story", temperature=1.0, simulated=True))
    return data


def count() -> int:
    with History.open() as history:
        return history.count()


def test_an_empty_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == EXIT_OK
    out, err = capsys.readouterr()
    assert out == ""
    assert "empty" in err


def test_the_list(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["id", "when", "label"]
    assert [line.split()[0] for line in lines[1:]] == ["run-000020", "run-000013", "run-000012", "run-000011"] + [
        f"run-00000{n}" for n in (3, 2, 1)
    ]
    assert "simulated" in lines[1]


def test_filter_sort_limit(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "list", "no draft", "client:>29.05", "--sort", "client", "--limit", "1"]) == EXIT_OK
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["run-000012"]
    assert "1 of 2 runs" in err
    assert main(["history", "list", "--filter=-label:shipped prompt:code", "--limit", "0"]) == EXIT_OK
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert main(["history", "list", "nowhere"]) == EXIT_OK
    assert capsys.readouterr() == ("", "No run fits.\n")
    assert main(["history", "list", "lable:x"]) == EXIT_USAGE
    assert "label" in capsys.readouterr().err
    assert main(["history", "list", "--sort", "speed"]) == EXIT_USAGE


def test_the_list_as_json(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "list", "label:shipped", "--json"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    runs = [json.loads(line) for line in lines]
    assert [item["id"] for item in runs] == ["run-000020", "run-000003", "run-000002", "run-000001"]
    assert "text" not in runs[0]


def test_cells(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "list", "prompt:code", "--cells"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["label", "shipped", "no"]
    assert "57.3" in lines[1] and "57.1 – 57.7" in lines[1]


def test_show(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "show", "run-00002"]) == EXIT_OK
    text = capsys.readouterr().out
    for part in ("Simulated", "client", "57.1 tok/s", "645 / 718", "per step", "5.33 tok", "burst timeline"):
        assert part in text
    assert "import threading" not in text
    assert main(["history", "show", "last", "--text"]) == EXIT_OK
    assert "import threading" in capsys.readouterr().out
    assert main(["history", "show", "run-000001", "--json"]) == EXIT_OK
    shown = json.loads(capsys.readouterr().out)
    assert (shown["client_tok_s"], len(shown["timeline"]), shown["text"]) == (57.1, 2, "import threading\n")
    assert main(["history", "show", "nobody"]) == EXIT_USAGE
    assert main(["history", "show", "run-00000"]) == EXIT_USAGE
    assert "Several" in capsys.readouterr().err


def test_export_to_files(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["history", "export", "--filter", "label:shipped", "--out", "out/runs.md", "--out", "runs.csv", "--out", "runs.json"]
    assert main(command) == EXIT_OK
    assert capsys.readouterr().out == ""
    assert "median 57.3 tok/s" in (filled / "out" / "runs.md").read_text()
    with (filled / "runs.csv").open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["run-000001", "run-000002", "run-000003", "run-000020"]
    assert len(json.loads((filled / "runs.json").read_text())["runs"]) == 4
    assert main(command) == EXIT_USAGE
    assert "exists already" in capsys.readouterr().err
    assert main([*command, "--force", "--no-text"]) == EXIT_OK
    assert "import threading" not in (filled / "runs.json").read_text()


def test_export_checks_every_path_before_it_writes_one(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (filled / "taken.csv").write_text("mine")
    assert main(["history", "export", "last", "--out", "new.md", "--out", "taken.csv"]) == EXIT_USAGE
    assert not (filled / "new.md").exists()
    assert (filled / "taken.csv").read_text() == "mine"
    assert main(["history", "export", "last", "--out", "new.md", "--out", "x.pdf"]) == EXIT_USAGE
    assert not (filled / "new.md").exists()


def test_export_to_stdout(filled: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["history", "export", "run-000001", "last", "--out", "-", "--format", "csv"]) == EXIT_OK
    rows = list(csv.DictReader(io.StringIO(capsysbinary.readouterr().out.decode(), newline="")))
    assert [row["id"] for row in rows] == ["run-000001", "run-000020"]
    assert main(["history", "export", "--all", "--out", "-", "--format", "jsonl", "--timeline"]) == EXIT_OK
    lines = capsysbinary.readouterr().out.splitlines()
    assert len(lines) == 7
    assert json.loads(lines[0])["timeline"]


def test_export_under_a_default_name(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "export", "last", "--format", "md"]) == EXIT_OK
    (made,) = filled.glob("*.md")
    assert made.name == "shipped-Qwen-Next-exl3-2026-11-30-1200.md"
    assert made.name in capsys.readouterr().err


def test_e04_export_to_a_full_device(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    assert main(["history", "export", "last", "--out", "/dev/full", "--format", "md"]) == EXIT_RUN_FAILED
    assert "No space left" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", ["export --out x.md", "export last", "label x", "rm", "rm --filter label:none"])
def test_commands_that_say_too_little(filled: Path, capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    assert main(["history", *arguments.split()]) == EXIT_USAGE
    assert capsys.readouterr().err
    assert count() == 7


def test_compare_labels(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "compare", "shipped", "no draft"]) == EXIT_OK
    text = capsys.readouterr().out
    assert "A = shipped   code, temperature 0" in text
    assert "▼ slower" in text and "−28.2" in text and "no draft outside" in text


def test_compare_runs_filters_and_nothing(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "compare", "run-000001", "run-000011"]) == EXIT_OK
    assert "too few runs (n = 1)" in capsys.readouterr().out
    assert main(["history", "compare", "label:shipped T:0", 'label:"no draft"', "--json"]) == EXIT_OK
    (cell,) = json.loads(capsys.readouterr().out)
    assert cell["comparisons"][0]["verdict"] == "slower"
    assert cell["comparisons"][0]["within_2_tok_s"] is False
    assert main(["history", "compare", "shipped", "unknown"]) == EXIT_USAGE
    assert "unknown" in capsys.readouterr().err


def test_label(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "label", "run-000001", "last", "night run"]) == EXIT_OK
    assert "2 runs" in capsys.readouterr().err
    assert main(["history", "label", "--filter", "label:shipped", "renamed"]) == EXIT_OK
    with History.open() as history:
        assert history.count('label:"night run"') == 2
        assert history.count("label:renamed") == 2
    assert main(["history", "label", "last", " "]) == EXIT_USAGE


def test_rm_without_a_terminal_wants_yes(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["history", "rm", "last"]) == EXIT_USAGE
    assert "--yes" in capsys.readouterr().err
    assert count() == 7
    assert main(["history", "rm", "last", "run-000001", "--yes"]) == EXIT_OK
    assert "2 runs deleted" in capsys.readouterr().err
    assert count() == 5


@pytest.mark.parametrize(("answer", "left"), [("y\n", 6), ("yes\n", 6), ("n\n", 7), ("\n", 7), ("", 7)])
def test_rm_on_a_terminal(filled: Path, monkeypatch: pytest.MonkeyPatch, answer: str, left: int) -> None:
    monkeypatch.setattr("sparktui.cli.history.is_terminal", lambda stream: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert main(["history", "rm", "last"]) == (EXIT_OK if left == 6 else EXIT_USAGE)
    assert count() == left


def test_import_and_what_it_says(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "import", "reference"]) == EXIT_OK
    assert "19 runs imported" in capsys.readouterr().err
    (data / "torn.jsonl").write_text('{"id": "x"\n')
    assert main(["history", "import", "torn.jsonl", "reference"]) == EXIT_OK
    err = capsys.readouterr().err
    assert "1 line skipped" in err and "19 already here" in err
    assert main(["history", "import", "none.json"]) == EXIT_USAGE
    assert main(["history", "compare", "prompt:story T:1 label:reference*", "prompt:story T:0 label:reference*"]) == EXIT_OK
    assert "▲ faster" in capsys.readouterr().out


def test_a_killed_session_is_taken_in_by_any_history_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hello = Hello(protocol=1, version="0.1.0", pid=7, host="spark", session="s1", clock_ns=5, wall="2026-11-30T12:00:00Z")
    begun = RunStarted(
        run_id="run-000001",
        prompt=prompt_info("story", "x"),
        params=RunParams(),
        t_send_ns=1,
        started_at="2026-11-30T12:00:00Z",
        server=SERVER,
    )
    journal_path("s1").parent.mkdir(parents=True)
    journal_path("s1").write_bytes(encode_event(hello) + b"\n" + encode_event(begun) + b"\n")
    assert main(["history"]) == EXIT_OK
    out, err = capsys.readouterr()
    assert "run-000001" in out and "cut off" in out
    assert "1 run recovered" in err
    assert main(["history"]) == EXIT_OK
    assert "recovered" not in capsys.readouterr().err


def test_a_damaged_history_is_said_and_set_aside(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history_path().parent.mkdir(parents=True)
    history_path().write_bytes(b"no database " * 100)
    assert main(["history"]) == EXIT_OK
    assert "damaged" in capsys.readouterr().err
    assert list(history_path().parent.glob("*.damaged-*"))


def test_unknown_subcommands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "lst"]) == EXIT_USAGE
    assert main(["history", "list", "--sorted"]) == EXIT_USAGE
    assert "Traceback" not in capsys.readouterr().err


def test_help_names_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--help"]) == EXIT_OK
    text = capsys.readouterr().out
    for name in ("list", "show", "export", "compare", "label", "rm", "import"):
        assert name in text
