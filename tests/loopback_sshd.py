"""A real sshd for tests and measures: on loopback, on a port of its own, with keys made for it."""

import getpass
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from sparktui.io.ssh import ssh_argv

ROOT = Path(__file__).parents[1]
SSHD = shutil.which("sshd") or next((path for path in ("/usr/sbin/sshd", "/usr/local/sbin/sshd") if Path(path).exists()), None)


class NoSshdError(Exception):
    """Why there is none."""


class Sshd:
    """One server for its owner, until `stop`. `ssh`: the value for SPARKTUI_SSH that leads to it."""

    def __init__(self, folder: Path) -> None:
        if SSHD is None or shutil.which("ssh") is None:
            raise NoSshdError("there is no sshd (openssh-server) on this machine")
        self.folder = folder
        for name in ("host", "user", "stranger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
        (folder / "authorized").write_bytes((folder / "user.pub").read_bytes())
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        settings = {
            "Port": self.port, "ListenAddress": "127.0.0.1", "HostKey": folder / "host", "AuthorizedKeysFile": folder / "authorized",
            "PidFile": "none", "UsePAM": "no", "StrictModes": "no", "PasswordAuthentication": "no", "KbdInteractiveAuthentication": "no",
            "SetEnv": f"SPARKTUI_DATA_DIR={folder / 'data'}", "PermitRootLogin": "yes",
        }  # fmt: skip
        (folder / "sshd_config").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
        (folder / "known").write_text(f"[127.0.0.1]:{self.port} {(folder / 'host.pub').read_text()}")
        command = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
        if getpass.getuser() == "root":
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                assert self._process.stderr is not None
                raise NoSshdError(f"sshd does not start here: {self._process.stderr.read().decode(errors='replace').strip()}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                return
            except OSError:
                time.sleep(0.02)
        raise NoSshdError("sshd does not listen")

    def argv(self, key: str = "user", *worker: str) -> list[str]:
        config = self.folder / f"ssh_config_{key}"
        options = {
            "HostName": "127.0.0.1", "Port": self.port, "User": getpass.getuser(), "IdentityFile": self.folder / key,
            "IdentitiesOnly": "yes", "UserKnownHostsFile": self.folder / "known", "IdentityAgent": "none",
        }  # fmt: skip
        config.write_text("Host spark\n" + "".join(f"  {name} {value}\n" for name, value in options.items()))
        command = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "sparktui", "worker"]
        return ssh_argv("spark", ["--linger=30", *worker], {"SPARKTUI_SSH": f"ssh -F {config}"}, command)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(5)
        if self._process.stderr is not None:
            self._process.stderr.close()
