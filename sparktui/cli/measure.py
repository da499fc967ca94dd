"""What every headless command that measures opens first and closes last: session, server, log, history; and the way it is interrupted."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from sparktui.cli.interrupts import interrupts
from sparktui.cli.streams import say
from sparktui.core.config import Config
from sparktui.core.events import AnyEvent, ErrorEvent
from sparktui.engine.hosting.session import Session
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.measuring import Measuring
from sparktui.engine.running.sampling import sampler_for
from sparktui.engine.server.target import Target, open_target
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK, InterruptedRunError, SparkError
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.http.failures import StoppedError
from sparktui.io.store.history import History

TABBYAPI_SAFE_TOKENS = 2000


class Kit(Struct, frozen=True):
    """Everything a command measures with. `cancel` is set by the first Ctrl-C."""

    config: Config
    session: Session
    target: Target
    measuring: Measuring
    cancel: Cancel

    def note(self, text: str) -> None:
        """A sentence for whoever looks on, here or through the journal."""
        self.session.emitter.emit(ErrorEvent(title=text, exit_code=EXIT_OK))

    def warn_of_length(self, max_tokens: int | None) -> None:
        """Say so where TabbyAPI would requeue an answer inside, which restarts its counters."""
        if self.target.info.kind == "tabbyapi" and (max_tokens or 0) > TABBYAPI_SAFE_TOKENS:
            say(f"note: TabbyAPI's own counters are wrong beyond about {TABBYAPI_SAFE_TOKENS:,} tokens; max_tokens is {max_tokens:,}")


@contextmanager
def measuring(args: argparse.Namespace, loaded: LoadedConfig, purpose: str, talk: Callable[[AnyEvent], None]) -> Iterator[Kit]:
    """Open everything, hand it out, and save and close it however the block ends.

    Raises what opening the server raises (UnreachableError, UsageError, ConfigError), InterruptedRunError when stopped before that.
    """
    cancel = Cancel()
    with interrupts(cancel):
        session = Session(purpose, loaded.config.history, store=not args.no_history, masked=loaded.secrets, sinks=(talk,))
        told = _tell_notes(session, 0)
        # in a thread: whoever stops may be a sink, in the middle of another event
        cancel.on_set(threading.Thread(target=_tell_stop, args=(session,), name="stopping", daemon=True).start)
        reason = "done"
        try:
            with _opened(args, loaded, session, cancel) as target, _measuring(target, loaded, session, store=not args.no_history) as kit:
                yield Kit(loaded.config, session, target, kit, cancel)
        except SparkError as error:
            reason = error.title
            raise
        except BaseException:
            reason = "failed"
            raise
        finally:
            unsaved = session.close("interrupted" if cancel.is_set() else reason)
            _tell_notes(session, told)
            if unsaved:
                say(f"{len(unsaved)} of the runs could not be stored in the history")


@contextmanager
def _opened(args: argparse.Namespace, loaded: LoadedConfig, session: Session, cancel: Cancel) -> Iterator[Target]:
    try:
        target = open_target(
            loaded.config, demo=args.demo, demo_speed=args.demo_speed, origin=loaded.origins.get("server.base_url", ""),
            on_event=session.emitter.emit, stop=cancel,
        )  # fmt: skip
    except StoppedError:
        raise InterruptedRunError("Stopped before the server was reached.") from None
    if target.simulated:
        say(f"DEMO SERVER: simulated, nothing here is measured ({target.origin or 'it says so itself'})")
    with target:
        yield target


@contextmanager
def _measuring(target: Target, loaded: LoadedConfig, session: Session, *, store: bool) -> Iterator[Measuring]:
    history = _history() if store else None
    try:
        kit = Measuring(
            target, session.emitter, loaded.config, history=history, memory=sampler_for(target), masked=loaded.secrets
        )
        try:
            yield kit
        finally:
            kit.close()
    finally:
        if history is not None:
            history.close()


def _history() -> History | None:
    try:
        return History.open()
    except SparkError:
        # the session that stores runs says why; measuring goes on without a baseline from there
        return None


def _tell_notes(session: Session, told: int) -> int:
    for note in session.notes[told:]:
        say(f"note: {note}")
    return len(session.notes)


def _tell_stop(session: Session) -> None:
    """For whoever looks on, and for a second `--stop`."""
    session.emitter.emit(ErrorEvent(title="Stopping; what is finished is kept.", exit_code=EXIT_INTERRUPTED))
