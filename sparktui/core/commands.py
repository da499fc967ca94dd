"""Worker protocol 1, the other direction: commands, one JSON object a line, each with an `id` that its `reply` repeats."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from sparktui.core.events import PROTOCOL, snake_tag
from sparktui.core.needleplan import NeedlePlan
from sparktui.core.plans import BenchPlan, PromptSpec
from sparktui.core.records import RunParams


class Command(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_tag, omit_defaults=True):
    v: int = field(default_factory=lambda: PROTOCOL)
    id: int = 0


class HelloCommand(Command, frozen=True, kw_only=True, tag="hello"):
    client_version: str
    protocol: int = PROTOCOL


class Configure(Command, frozen=True, kw_only=True):
    """Read the configuration where the worker runs and open its server; sent again, whatever changed is opened anew.

    `demo` uses the simulated server whatever the config says. `trust`: the user agreed to the commands of a config in the current folder.
    """

    demo: bool = False
    trust: bool = False


class Run(Command, frozen=True, kw_only=True):
    prompt: PromptSpec
    params: RunParams
    label: str = "default"


class Bench(Command, frozen=True, kw_only=True):
    """`plan`, else the configured matrix; `max_tokens` beats the configured one."""

    plan: BenchPlan | None = None
    max_tokens: int | None = None


class Needle(Command, frozen=True, kw_only=True):
    """Search for needles: `plan`, else what the config asks for; `max_tokens` beats the configured one."""

    plan: NeedlePlan | None = None
    max_tokens: int | None = None


class Sweep(Command, frozen=True, kw_only=True):
    """Sweep the variants of the config; `variants` only those of these names, `resume` goes on with an interrupted sweep.

    `look`: nothing is begun. The reply says what there is to go on with: {interrupted: None | {started_at, done}, total, notes};
    `notes` are sentences about what an earlier sweep left.
    """

    variants: tuple[str, ...] = ()
    baseline: str | None = None
    max_tokens: int | None = None
    resume: bool = False
    look: bool = False


class Continue(Command, frozen=True, kw_only=True):
    """What a sweep waits for has been done by hand."""


class CancelRun(Command, frozen=True, kw_only=True, tag="cancel"):
    """Cancel one run, or with `everything` the plan and what is queued behind it."""

    run_id: str | None = None
    everything: bool = False


class RetryServer(Command, frozen=True, kw_only=True):
    """Ask the server again now. `base_url` picks one of several that answered; `demo` gives up and uses the demo server."""

    base_url: str | None = None
    demo: bool = False


class HistoryQuery(Command, frozen=True, kw_only=True):
    filter: str = ""
    sort: str = "-started_at"
    limit: int = 200
    offset: int = 0


class RunGet(Command, frozen=True, kw_only=True):
    run_ids: tuple[str, ...]
    timeline: bool = False
    text: bool = False


class RunEdit(Command, frozen=True, kw_only=True):
    run_ids: tuple[str, ...]
    label: str | None = None
    delete: bool = False


class Attach(Command, frozen=True, kw_only=True):
    """First command only: go on with a session whose screen was lost. Answered with its events after `from_seq`, then live."""

    session: str
    from_seq: int = 0


class Shutdown(Command, frozen=True, kw_only=True):
    pass


AnyCommand = (
    HelloCommand | Configure | Run | Bench | Needle | Sweep | Continue | CancelRun | RetryServer | HistoryQuery | RunGet | RunEdit
    | Attach | Shutdown
)  # fmt: skip

encode_command = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(AnyCommand)


def decode_command(line: bytes | str) -> AnyCommand:
    """One line from a client. Raises msgspec.DecodeError / ValidationError on anything else."""
    return _decoder.decode(line)


def reply_id(line: bytes) -> int:
    """The `id` of a line that could not be decoded as a command, 0 if there is none: so that its sender hears about it."""
    try:
        raw: Any = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return 0
    value = raw.get("id", 0) if isinstance(raw, dict) else 0
    return value if isinstance(value, int) else 0
