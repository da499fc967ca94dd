"""run.sh against a stand-in Python that writes down what it was asked: no network, no real installation."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

STAND_IN = """#!/bin/sh
log=@LOG@
case "$*" in
    *version_info*"(3, 11)"*) exit @OLD@ ;;
    *version_info*) echo 3.11.9; exit 0 ;;
    *"import venv, ensurepip"*) exit @NO_VENV@ ;;
    "-m venv "*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; echo "venv $*" >> "$log"; exit 0 ;;
    "-m pip --version") exit @NO_PIP@ ;;
    *"pip "*install*) sleep 0.2; echo "pip $*" >> "$log"; exit @PIP_FAILS@ ;;
    "-c "*) exit 0 ;;
esac
echo "ran in $PWD: $*"
echo "${SPARKTUI_COMMAND-}" > "$log.called"
"""


class Checkout:
    """A copy of what run.sh needs, and a Python that is none."""

    def __init__(self, folder: Path, **answers: int) -> None:
        self.root = folder / "the project"
        self.root.mkdir()
        shutil.copy(ROOT / "run.sh", self.root)
        shutil.copy(ROOT / "pyproject.toml", self.root)
        self.log = folder / "log"
        self.log.touch()
        text = STAND_IN.replace("@LOG@", str(self.log))
        for name in ("OLD", "NO_VENV", "NO_PIP", "PIP_FAILS"):
            text = text.replace(f"@{name}@", str(answers.get(name, 0)))
        self.bin = folder / "bin"
        self.bin.mkdir()
        python = self.bin / "python3"
        python.write_text(text, encoding="utf-8")
        python.chmod(0o755)
        for tool in ("sh", "cat", "cksum", "cp", "ln", "mkdir", "mv", "readlink", "rm", "sleep"):
            (self.bin / tool).symlink_to(str(shutil.which(tool)))

    def start(self, *arguments: str, script: Path | None = None, cwd: Path | None = None) -> subprocess.Popen[str]:
        env: Mapping[str, str] = {"PATH": str(self.bin), "LC_ALL": "C.UTF-8"}
        command = [str(script or self.root / "run.sh"), *arguments]
        return subprocess.Popen(command, env=env, cwd=cwd or "/", text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments: str, script: Path | None = None, cwd: Path | None = None) -> tuple[int, str, str]:
        process = self.start(*arguments, script=script, cwd=cwd)
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err

    def did(self) -> list[str]:
        return [line.split(" ", 1)[0] for line in self.log.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_first_start_installs_and_later_ones_do_not(checkout: Checkout) -> None:
    code, out, err = checkout.run("bench", "--label", "a b")
    assert (code, out) == (0, "ran in /: -P -m sparktui bench --label a b\n")
    assert "First start here" in err
    assert checkout.did() == ["venv", "pip"]
    assert checkout.run()[1:] == ("ran in /: -P -m sparktui\n", "")
    assert checkout.did() == ["venv", "pip"]
    assert not (checkout.root / ".venv.lock").is_symlink()


def test_a_changed_pyproject_installs_again_into_the_same_venv(checkout: Checkout) -> None:
    checkout.run("--version")
    with (checkout.root / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert checkout.run("--version")[0] == 0
    assert checkout.did() == ["venv", "pip", "pip"]


def test_a_moved_checkout_installs_again(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("--version")
    checkout.root = checkout.root.rename(tmp_path / "moved")
    assert checkout.run("--version")[0] == 0
    assert checkout.did() == ["venv", "pip", "pip"]


def test_extras_only_where_the_command_needs_them(checkout: Checkout) -> None:
    checkout.run("--version")
    code, out, _ = checkout.run("test", "-k", "x")
    assert (code, out) == (0, f"ran in {checkout.root}: -m pytest --numprocesses 3 --dist worksteal -k x\n")
    assert f"{checkout.root}[dev]" in checkout.log.read_text(encoding="utf-8")
    assert checkout.run("web")[1] == "ran in /: -P -m sparktui web\n"
    assert f"{checkout.root}[web]" in checkout.log.read_text(encoding="utf-8")
    assert checkout.run("report", "last")[1] == "ran in /: -P -m sparktui report last\n"
    assert f"{checkout.root}[report]" in checkout.log.read_text(encoding="utf-8")
    checkout.run("test")
    checkout.run("web")
    checkout.run("--version")
    assert checkout.did() == ["venv", "pip", "pip", "pip", "pip"]


def test_through_symlinks_from_anywhere(checkout: Checkout, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "spark").symlink_to(checkout.root / "run.sh")
    (tmp_path / "link").symlink_to("elsewhere/spark")
    code, out, _ = checkout.run("doctor", script=tmp_path / "link", cwd=folder)
    assert (code, out) == (0, f"ran in {folder}: -P -m sparktui doctor\n")


def test_two_at_once_install_once(checkout: Checkout) -> None:
    both = [checkout.start("--version") for _ in range(2)]
    assert [process.communicate(timeout=20)[0] for process in both] == ["ran in /: -P -m sparktui --version\n"] * 2
    assert checkout.did() == ["venv", "pip"]


def test_a_lock_left_by_a_dead_start_is_taken_over(checkout: Checkout) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    (checkout.root / ".venv.lock").symlink_to(str(gone.pid))
    assert checkout.run("--version")[0] == 0
    assert not (checkout.root / ".venv.lock").is_symlink()


def test_an_old_python_is_said(tmp_path: Path) -> None:
    code, out, err = Checkout(tmp_path, OLD=1).run("--version")
    assert (code, out) == (2, "")
    assert "Python 3.11 or newer is needed" in err


def test_a_missing_venv_module_names_the_package(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, NO_VENV=1, NO_PIP=1)
    code, _, err = checkout.run("--version")
    assert code == 2
    assert "apt install python3.11" in err
    assert not (checkout.root / ".venv").exists()
    assert not (checkout.root / ".venv.lock").is_symlink()


def test_without_ensurepip_the_systems_pip_installs(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, NO_VENV=1)
    assert checkout.run("--version")[0] == 0
    assert "--without-pip" in checkout.log.read_text(encoding="utf-8")


def test_a_failed_installation_is_an_error_and_is_tried_again(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, PIP_FAILS=1)
    code, out, err = checkout.run("--version")
    assert (code, out) == (2, "")
    assert "installing into .venv failed" in err
    assert checkout.run("--version")[0] == 2
    assert checkout.did() == ["venv", "pip", "pip"]


def test_the_shell_finds_no_fault() -> None:
    for shell in ("sh", "bash"):
        if shutil.which(shell):
            subprocess.run([shell, "-n", str(ROOT / "run.sh")], check=True)
    assert os.access(ROOT / "run.sh", os.X_OK)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_it_says_how_it_was_called(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.run("doctor")
    assert (tmp_path / "log.called").read_text().strip() == str(checkout.root / "run.sh")
