"""Field cases of the terminal with the real program on one: sizes, kinds of terminal, locales, pastes, the mouse, hostile servers."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import time
from pathlib import Path

import pytest

from sparktui.core.records import RunRecord
from sparktui.io.store.history import History
from sparktui.tui.keys import KEYS
from tests.support_cases import CaseServer
from tests.support_paced import HOSTILE, Paced
from tests.support_terminal import Terminal, program

FAST = ("--demo", "--demo-speed", "30")
NOBODY = ("--base-url", "http://127.0.0.1:9", "--kind", "openai")
_ACTING = re.compile("\x1b\\[31m|\x1b\\[10A|\x1b\\]52|\x1b\\]0;|[\x00\x08\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069\u200d]|\u0301{7}")


def stored(home: Path) -> list[RunRecord]:
    with History.open(home / "data" / "history.sqlite3") as history:
        return history.query()[::-1]


def quit_(terminal: Terminal) -> None:
    terminal.type("q")
    assert terminal.exit_code() == 0


def test_d08_a_hundred_resizes_in_two_seconds_change_no_figure(tmp_path: Path) -> None:
    with Paced(count=400, every_s=0.005, head="many words " * 18_000) as server, program(tmp_path, *server.options()) as terminal:
        terminal.until("b bench")
        terminal.type("s")
        terminal.until("x cancel")
        for size in itertools.islice(itertools.cycle([(120, 36), (80, 24), (61, 17), (33, 9), (20, 5), (150, 45)]), 100):
            terminal.resize(size)
            time.sleep(0.02)
        terminal.resize((120, 36))
        terminal.until("✓ done")
        terminal.until("1 run")
        terminal.until("word word word")
        quit_(terminal)
        (record,) = stored(tmp_path)
        assert record.chunks == 401
        assert record.client_tok_s == pytest.approx(server.rate, rel=0.05)


def test_d17_a_thousand_events_a_second_are_timed_as_a_bench_times_them(tmp_path: Path) -> None:
    with Paced(count=1000, every_s=0.001) as server:
        with program(tmp_path, *server.options()) as terminal:
            terminal.until("b bench")
            terminal.type("s")
            terminal.until("✓ done")
            terminal.until("1 run")
            quit_(terminal)
        (seen,) = stored(tmp_path)
        on_screen = (seen.client_tok_s or 0) / server.rate
        words = ["bench", *server.options(), "--prompts", "story", "--runs", "1", "--temps", "0", "--warmup", "0"]
        with program(tmp_path, *words) as terminal:
            assert terminal.exit_code() == 0, terminal.text()
        headless = (stored(tmp_path)[-1].client_tok_s or 0) / server.rate
        # two plays of it differ by themselves: each is held against what was sent
        assert on_screen == pytest.approx(headless, rel=0.03)
        assert on_screen == pytest.approx(1, rel=0.03)


def test_d09_every_terminal_that_can_be_painted_is_told_by_words(tmp_path: Path) -> None:
    colours: dict[str, bytes] = {}
    with contextlib.ExitStack() as stack:
        names = ("screen", "screen-256color", "xterm", "linux", "vt100")
        terminals = {term: stack.enter_context(program(tmp_path / term, *NOBODY, env={"TERM": term})) for term in names}
        for term, terminal in terminals.items():
            terminal.until("unreachable", within_s=40)
            assert "r retry" in terminal.until("q quit")
            quit_(terminal)
            colours[term] = terminal.raw
    truecolour = re.compile(rb"\x1b\[[\d;]*\b[34]8;2;")
    assert [term for term, raw in colours.items() if truecolour.search(raw)] == []


def test_d09_no_color_leaves_only_greys(tmp_path: Path) -> None:
    with program(tmp_path, *FAST, env={"NO_COLOR": "1", "COLORTERM": "truecolor"}) as terminal:
        terminal.until("b bench")
        terminal.type("c")
        assert "code · T 1.0" in terminal.until("✓ done")
        quit_(terminal)
        colours = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", terminal.raw)
        assert colours and all(red == green == blue for red, green, blue in colours)
        assert not re.search(rb"\x1b\[(?:\d+;)*(?:[34]8;5;|[349][1-6]m|10[1-6]m)", terminal.raw)


@pytest.mark.parametrize("term", ["dumb", None])
def test_d09_a_terminal_that_cannot_be_painted_gets_one_line_that_points_to_bench(term: str | None, tmp_path: Path) -> None:
    with program(tmp_path, env={"TERM": term}) as terminal:
        assert terminal.exit_code() == 2
        assert "sparktui bench" in terminal.text() and b"\x1b" not in terminal.raw


def test_an_exported_size_does_not_hide_the_real_one(tmp_path: Path) -> None:
    exported = {"COLUMNS": "60", "LINES": "12"}
    with Paced(count=5, every_s=0.01) as server, program(tmp_path, *server.options(), env=exported, size=(120, 36)) as terminal:
        terminal.until("b bench")
        assert terminal.text().splitlines()[-1].strip().startswith("b bench")
        assert len(terminal.text().splitlines()) == 36
        terminal.resize((100, 30))
        terminal.until(lambda: "b bench" in terminal.text().splitlines()[29])


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "en_US.ISO-8859-1", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "latin-1", "ascii"],
)
def test_d10_the_screen_runs_in_a_locale_that_is_not_utf8(locale: dict[str, str], tmp_path: Path) -> None:
    with Paced(count=20, every_s=0.002, head="雪 größer 🌍 ") as server, program(tmp_path, *server.options(), env=locale) as terminal:
        terminal.until("b bench")
        terminal.type("s")
        terminal.until("done")
        terminal.until("1 run")
        quit_(terminal)
        assert b"Traceback" not in terminal.raw
    (record,) = stored(tmp_path)
    with History.open(tmp_path / "data" / "history.sqlite3") as history:
        assert (history.get(record.id).text or "").startswith("雪 größer 🌍 ")


def test_d12_the_mouse_can_be_left_to_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "config.yml").write_text("ui: {mouse: false}\n", encoding="utf-8")
    with program(tmp_path, *NOBODY) as terminal:
        terminal.until("q quit")
        quit_(terminal)
        for mode in (b"1000", b"1002", b"1003", b"1006", b"1015"):
            assert b"\x1b[?" + mode + b"h" not in terminal.raw


def test_d12_the_help_says_how_to_mark_text(tmp_path: Path) -> None:
    with program(tmp_path, *NOBODY, size=(120, 50)) as terminal:
        terminal.until("q quit")
        terminal.type("?")
        terminal.until("‹keys›")
        terminal.type("\t\t\t")
        terminal.until("‹trouble›")
        for _ in range(8):
            terminal.type("\x1b[6~")
            time.sleep(0.15)
            if "Hold shift" in terminal.text():
                break
        terminal.until("Hold shift")


def test_d14_nothing_needs_ctrl_s_or_ctrl_q_and_ctrl_s_freezes_nothing(tmp_path: Path) -> None:
    assert not {"ctrl+s", "ctrl+q"} & {name for key in KEYS for name in key.keys.split(",")}
    with program(tmp_path, *FAST) as terminal:
        terminal.until("b bench")
        terminal.type("\x13")
        terminal.type("c")
        terminal.until("✓ done")
        quit_(terminal)


def test_d20_a_paste_is_one_prompt_whatever_is_in_it(tmp_path: Path) -> None:
    with Paced(count=5, every_s=0.002) as server, program(tmp_path, *server.options()) as terminal:
        terminal.until("b bench")
        terminal.type(b"\x1b[200~a\nb\x1b[201~")
        terminal.until("› a↵b")
        # a terminal that does not take the end of a paste out of what is pasted
        terminal.type(b"\x1b[200~x\x1b[201~q\r\x1b[201~")
        terminal.until("› a↵bxq↵")
        assert not [request for request in server.requests if request.method == "POST"]
        time.sleep(0.1)
        terminal.type(b"\x1b[200~\xe2\x80\xaegone\x1b[201~")
        terminal.until("pasted 5 characters")
        assert "\u202e".encode() not in terminal.raw
        time.sleep(0.1)
        terminal.type("\r")
        terminal.until("✓ done")
        quit_(terminal)
        (sent,) = [json.loads(request.body) for request in server.requests if request.method == "POST"]
    assert sent["messages"][-1]["content"] == "a\nbxq\n\u202egone"


@pytest.mark.parametrize("case_id", ["A31", "A43"])
def test_d21_a_run_that_fails_is_told_and_the_next_one_can_be_sent(case_id: str, tmp_path: Path) -> None:
    variant = "A43/html" if case_id == "A43" else case_id
    with CaseServer(variant) as server, program(tmp_path, "--base-url", server.url, "--kind", "openai") as terminal:
        for number in ("1 run", "2 runs"):
            terminal.until("b bench")
            terminal.type("s")
            terminal.until(number)
            terminal.until("✕ failed")
        quit_(terminal)
    assert [record.status for record in stored(tmp_path)] == ["failed", "failed"]


def test_d03_nothing_a_server_says_acts_on_the_terminal(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text(f"2026-01-01 00:00:00.000 INFO:     {HOSTILE}\n", encoding="utf-8")
    (tmp_path / "config.yml").write_text(json.dumps({"prompts": {"story": {"text": HOSTILE}}, "bench": {"label": "x"}}), encoding="utf-8")
    with (
        Paced(count=20, every_s=0.005, head=HOSTILE, word=HOSTILE + "\ud800", model=HOSTILE) as server,
        program(tmp_path, *server.options(), "--log", str(log)) as terminal,
    ):
        terminal.until("b bench")
        terminal.type("s")
        terminal.until("done")
        terminal.until("1 run")
        assert "␛[31mred" in terminal.text() and "[@click=app.quit]press[/]" in terminal.text()
        for keys in ("h", "\r", "\x1b", "\x1b", "l", "\x1b", "y", "?", "\x1b"):
            terminal.type(keys)
            time.sleep(0.25)
        quit_(terminal)
        raw = terminal.raw.decode()
    # copying is the one thing that may send it to the clipboard, and only as base64
    raw = re.sub("\x1b\\]52;c;[A-Za-z0-9+/=]*\x07", "", raw)
    assert _ACTING.findall(raw) == []

