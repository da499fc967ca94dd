"""The log that a worker follows for its screen."""

from pathlib import Path

import pytest

from sparktui.core.commands import Configure
from sparktui.core.events import LogLine, LogState, Server
from sparktui.demo.process import DemoProcess
from sparktui.engine.server.keeper import ServerKeeper, Wanted
from tests.engine.test_worker import Client


def test_the_log_of_a_server_that_answers_at_once_is_followed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    client = Client(tmp_path)
    use = ServerKeeper.use

    def answered_at_once(keeper: ServerKeeper, wanted: Wanted) -> None:
        use(keeper, wanted)
        client.wait(Server, lambda server: server.state == "ready")

    monkeypatch.setattr(ServerKeeper, "use", answered_at_once)
    log = tmp_path / "server.log"
    log.write_text("")
    with DemoProcess.start(speed=50) as process:
        client.config.write_text(f"server: {{base_url: '{process.base_url}'}}\nlog: {{source: '{log}'}}\n")
        assert client.ask(Configure()).ok
        client.wait(LogState, lambda state: state.state == "following")
        with log.open("a") as file:
            file.write("INFO:     the first line\nINFO:     the last line\n")
        client.wait(LogLine, lambda line: line.record.text == "the last line")
        client.close()
    told = [event.record.text for event in client.events if isinstance(event, LogLine)]
    assert told == ["the first line", "the last line"]
