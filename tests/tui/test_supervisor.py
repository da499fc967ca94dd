"""A worker that ends is told, replaced, and not replaced for ever."""

from collections.abc import Sequence

from sparktui.core.commands import AnyCommand, CancelRun, Configure, RetryServer
from sparktui.core.events import PROTOCOL, AnyEvent, Bye, ErrorEvent, Hello, Reply
from sparktui.tui.workers.supervisor import SupervisedLink


class Fake:
    """A link whose worker lives until told otherwise."""

    def __init__(self, first_id: int) -> None:
        self.state = "up"
        self.reason = ""
        self.sent: list[AnyCommand] = []
        self.inbox: list[AnyEvent] = []
        self._next = first_id

    def events(self) -> list[AnyEvent]:
        batch, self.inbox = self.inbox, []
        return batch

    def send(self, command: AnyCommand) -> int:
        self.sent.append(command)
        self._next += 1
        return self._next

    def close(self) -> int:
        self.state = "down"
        return 0


class Farm:
    def __init__(self) -> None:
        self.made: list[Fake] = []
        self.now_s = 0.0

    def __call__(self) -> Fake:
        self.made.append(Fake(100 * len(self.made)))
        return self.made[-1]


def errors(events: Sequence[AnyEvent]) -> list[ErrorEvent]:
    return [event for event in events if isinstance(event, ErrorEvent)]


def die(fake: Fake) -> None:
    fake.state, fake.reason = "down", "killed by signal 9"


def test_a_dead_worker_is_replaced_greeted_and_its_commands_are_answered() -> None:
    farm = Farm()
    link = SupervisedLink(farm, (Configure(),), lambda: farm.now_s)
    number = link.send(CancelRun(everything=True))
    farm.made[0].inbox = [Bye(reason="last words")]
    die(farm.made[0])
    events = link.events()
    assert isinstance(events[0], Bye)
    assert [(event.id, event.ok) for event in events if isinstance(event, Reply)] == [(number, False)]
    assert "killed by signal 9" in errors(events)[0].title
    assert len(farm.made) == 2 and farm.made[1].sent == [Configure()]
    assert link.state == "up"
    assert errors(link.events()) == []


def test_one_that_keeps_dying_is_left_until_retry() -> None:
    farm = Farm()
    link = SupervisedLink(farm, (Configure(),), lambda: farm.now_s)
    for _ in range(4):
        die(farm.made[-1])
        told = errors(link.events())
    assert len(farm.made) == 4 and link.state == "down"
    assert "not started again" in told[0].detail
    assert link.send(CancelRun()) == 0
    link.send(RetryServer())
    assert len(farm.made) == 5 and link.state == "up"


def test_deaths_far_apart_are_each_replaced() -> None:
    farm = Farm()
    link = SupervisedLink(farm, (), lambda: farm.now_s)
    for _ in range(6):
        farm.now_s += 30
        die(farm.made[-1])
        link.events()
    assert len(farm.made) == 7


def test_closing_is_no_death() -> None:
    farm = Farm()
    link = SupervisedLink(farm, (), lambda: farm.now_s)
    link.close()
    assert errors(link.events()) == [] and len(farm.made) == 1


def test_another_protocol_is_explained() -> None:
    farm = Farm()
    link = SupervisedLink(farm, (), lambda: farm.now_s)
    farm.made[0].inbox = [Hello(protocol=PROTOCOL + 1, version="9", pid=1, host="spark", session="s", clock_ns=0, wall="")]
    assert "Install the same version" in errors(link.events())[0].hint


def test_a_program_that_is_not_there_is_an_error_on_the_screen() -> None:
    def broken() -> Fake:
        raise FileNotFoundError(2, "No such file or directory")

    link = SupervisedLink(broken, ())
    assert "cannot be started: No such file" in errors(link.events())[0].title
    assert link.state == "down"
