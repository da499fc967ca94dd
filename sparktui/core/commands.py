"""Worker protocol 1, the other direction: commands, one JSON object a line, each with an `id` that its `reply` repeats."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from sparktui.core.events import PROTOCOL, snake_tag
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunParams


class Command(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_tag, omit_defaults=True):
    v: int = field(default_factory=lambda: PROTOCOL)
    id: int = 0


class HelloCommand(Command, frozen=True, kw_only=True, tag="hello"):
    client_version: str
    protocol: int = PROTOCOL


class Configure(Command, frozen=True, kw_only=True):
    """Load the configuration where the worker runs and open its server. Sent again, it starts anew with what changed.

    `overrides` are option values by config path (`server.base_url`), as text. `demo` uses the demo server whatever the config says.
    """

    config_path: str | None = None
    overrides: dict[str, str] = field(default_factory=dict)
    demo: bool = False
    trust_config: bool = False
    keep_history: bool = True


class Run(Command, frozen=True, kw_only=True):
    prompt: PromptSpec
    params: RunParams
    label: str = "default"


class Bench(Command, frozen=True, kw_only=True):
    """The configured matrix where a field is None."""

    prompts: tuple[str, ...] | None = None
    temps: tuple[int | float | None, ...] | None = None
    runs: int | None = None
    warmup: int | None = None
    parallel: int | None = None
    max_tokens: int | None = None
    label: str | None = None


class Needle(Command, frozen=True, kw_only=True):
    lengths: tuple[int, ...] | None = None
    depths: tuple[float, ...] | None = None
    seed: int | None = None
    warm: bool = False


class Sweep(Command, frozen=True, kw_only=True):
    runs: int | None = None
    resume: bool = False


class CancelRun(Command, frozen=True, kw_only=True, tag="cancel"):
    """Cancel one run, or with `everything` the plan and what is queued behind it."""

    run_id: str | None = None
    everything: bool = False


class Continue(Command, frozen=True, kw_only=True):
    """The user did what a manual sweep variant asked for."""


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
    """Send every event of `session` (this worker's own, when empty) after `from_seq` again, then go on live."""

    session: str = ""
    from_seq: int = 0


class Doctor(Command, frozen=True, kw_only=True):
    pass


class Shutdown(Command, frozen=True, kw_only=True):
    pass


AnyCommand = (
    HelloCommand | Configure | Run | Bench | Needle | Sweep | CancelRun | Continue | RetryServer | HistoryQuery | RunGet | RunEdit
    | Attach | Doctor | Shutdown
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
