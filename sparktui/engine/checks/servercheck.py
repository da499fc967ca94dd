"""The doctor's look at the server: reached, recognised, the key accepted, a model there, idle. Nothing is generated."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import msgspec

from sparktui.core.config import Config
from sparktui.engine.checks.check import Check
from sparktui.engine.server.discover import discover
from sparktui.engine.server.idle import check_idle
from sparktui.engine.server.target import SeveralServersError, Target, open_target
from sparktui.errors import EXIT_UNREACHABLE, SparkError
from sparktui.servers.base import Get


def check_server(config: Config, *, demo: bool, origin: str, speed: float = 1.0) -> Generator[Check, None, str]:
    """The checks of the server that runs would go to; returns its kind, "" where none was reached."""
    if config.server.base_url == "auto" and not demo:
        found = discover()
        if not found:
            fix = "start your server, or give --base-url; until then runs go to the simulated server"
            yield Check("server", "warn", "base_url is auto, and no server answers on this machine's usual ports", fix)
            return ""
    try:
        target = open_target(config, demo=demo, demo_speed=speed, origin=origin, wait_loading_s=0)
    except SeveralServersError as error:
        yield Check("server", "warn", error.title, error.hint)
        return ""
    except SparkError as error:
        text = " ".join(part for part in (error.title, error.detail) if part)
        yield Check("server", "fail", text, error.hint, error.exit_code)
        return ""
    with target:
        yield from _of_target(target, config)
        return target.info.kind


def _of_target(target: Target, config: Config) -> Iterator[Check]:
    info = target.info
    name = "simulated, nothing here is measured" if target.simulated else " ".join(filter(None, (info.kind, info.version)))
    yield Check("server", "ok", f"{info.base_url} answers: {name}" + (f" ({target.origin})" if target.origin else ""))
    for line in target.seen.seen:
        yield Check("recognised by", "ok", line)
    yield _key_check(target, config)
    if target.seen.loading:
        yield Check("model", "warn", "the server is loading its model", "wait; runs wait for it too")
    elif info.model:
        facts = [info.model]
        facts += [f"context {info.ctx:,}"] if info.ctx else []
        facts += [f"draft {info.draft}"] if info.draft else []
        yield Check("model", "ok", ", ".join(facts))
    else:
        yield Check("model", "warn", "the server names none", "load one, or set server.model if requests need a name")
    if config.server.model and target.seen.models and config.server.model not in target.seen.models:
        served = ", ".join(target.seen.models[:8])
        yield Check("model", "warn", f"server.model is {config.server.model}, but the server lists {served}", "correct server.model")
    idle = check_idle(target)
    if idle.busy is None:
        yield Check("idle", "ok", "the server cannot say beforehand; queue times tell afterwards")
    elif idle.busy:
        yield Check("idle", "warn", f"another request is at work ({idle.source})", "measure when it is done")
    else:
        yield Check("idle", "ok", f"nothing else is at work ({idle.source})")


def _key_check(target: Target, config: Config) -> Check:
    """Whether the list of models is given out: without a key, with it, or not at all."""
    has_key = config.server.api_key is not None and target.demo is None
    ask = Get(path=target.client.base.models_path, timeout_s=5)
    answer = target.client.get(ask)
    needed = answer.status in {401, 403}
    if needed and has_key:
        answer = target.client.get(msgspec.structs.replace(ask, with_key=True))
        if answer.status in {401, 403}:
            fix = "check SPARKTUI_API_KEY or server.api_key; TabbyAPI's is in its api_tokens.yml"
            return Check("key", "fail", f"the server refuses the key ({answer.status})", fix, EXIT_UNREACHABLE)
    elif needed:
        fix = "set SPARKTUI_API_KEY or server.api_key_file"
        return Check("key", "fail", f"the server wants a key ({answer.status})", fix, EXIT_UNREACHABLE)
    if answer.status == 0:
        return Check("key", "warn", f"not known: {answer.failure}", "try again")
    if needed:
        return Check("key", "ok", "accepted")
    return Check("key", "ok", "none is needed" + ("; the configured one is sent all the same" if has_key else ""))
