"""`sparktui sweep`: the variants of the config one against another, the server put back at the end, and the verdict."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from sparktui.cli.options import add_server_options, load
from sparktui.cli.parser import Parser, comma_list, text_argument, whole
from sparktui.cli.results import Files, add_result_options, exit_code, files_asked_for
from sparktui.cli.streams import say
from sparktui.core.config import Config
from sparktui.core.records import RunRecord
from sparktui.core.sweepplan import SweepPlan, check
from sparktui.errors import EXIT_OK, EXIT_RUN_FAILED, SparkError, UsageError
from sparktui.io.prompts import resolve_prompt


def add_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("what is compared (default: `sweep` of the config)")
    group.add_argument("--variants", type=comma_list, metavar="NAMES", help="only these, separated by commas")
    group.add_argument("--baseline", type=text_argument, metavar="NAME", help="the variant the others are held against")
    group.add_argument("--prompt", type=text_argument, metavar="NAME", help="story, code, json, or one of the config's")
    group.add_argument("--runs", type=whole(1, 1000), metavar="N", help="counted runs per variant")
    group.add_argument("--warmup", type=whole(0, 100), metavar="N", help="runs after each change of the server, not counted")
    group.add_argument("--context-tokens", type=whole(0, 2_000_000), metavar="N", help="so many tokens of text before every prompt")
    group.add_argument("--max-tokens", type=whole(1, 1_000_000), metavar="N", help="longest answer")
    group.add_argument("--order", choices=("interleaved", "shuffled"), help="how drift is spread over the variants")
    group.add_argument("--seed", type=whole(0, 2**31), metavar="N", help="of the shuffled order and of the context")
    again = parser.add_argument_group("after an interruption")
    again.add_argument("--resume", action="store_true", help="go on with the last sweep of this plan where it stopped")
    again.add_argument("--restore", action="store_true", help="only put the server back that an interrupted sweep left changed")
    add_result_options(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Sweep and judge; 0 when every run went well and the server is as it was. Raises SparkError before the first run."""
    loaded = load(args)
    if args.restore:
        return _restore(args)
    plan = plan_of(args, loaded.config)
    check(plan)
    if args.resume and args.no_history:
        raise UsageError("--resume needs the history, where the finished runs are.", hint="Leave out --no-history.")
    return _headless(args, plan, files_asked_for(args))


def plan_of(args: argparse.Namespace, config: Config) -> SweepPlan:
    """The sweep that config and options ask for. Raises UsageError, ConfigError."""
    sweep = config.sweep
    plan = SweepPlan(
        prompt=resolve_prompt(config, args.prompt or sweep.prompt),
        variants=sweep.variants,
        runs=args.runs or sweep.runs,
        warmup=sweep.warmup if args.warmup is None else args.warmup,
        temperature=sweep.temperature,
        max_tokens=args.max_tokens or sweep.max_tokens or config.defaults.max_tokens,
        baseline=args.baseline or sweep.baseline,
        context_tokens=sweep.context_tokens if args.context_tokens is None else args.context_tokens,
        order=args.order or sweep.order,
        seed=sweep.seed if args.seed is None else args.seed,
        restore=sweep.restore,
    )
    return plan if args.variants is None else _only(plan, args.variants)


def _only(plan: SweepPlan, names: tuple[str, ...]) -> SweepPlan:
    from sparktui.core.nearest import did_you_mean

    known = {variant.name: variant for variant in plan.variants}
    for name in names:
        if name not in known:
            raise UsageError(f"There is no variant named {name!r}.", hint=did_you_mean(name, known) or f"Known: {', '.join(known)}.")
    baseline = plan.baseline if plan.baseline in names else None
    return msgspec.structs.replace(plan, variants=tuple(known[name] for name in dict.fromkeys(names)), baseline=baseline)


def _headless(args: argparse.Namespace, plan: SweepPlan, files: Files) -> int:
    from sparktui.cli.benchtalk import talk_to
    from sparktui.cli.measure import measuring
    from sparktui.cli.pausing import pause_on_terminal
    from sparktui.cli.sweepresult import export_sweep, show_sweep
    from sparktui.engine.sweep import Sweep
    from sparktui.engine.variants import ServerSwitch

    talk = talk_to()
    try:
        with measuring(args, args.loaded, "sweep", talk) as kit:
            kit.warn_of_length(plan.max_tokens)
            info = kit.target.info
            book = _Book(plan.digest("demo" if kit.target.demo is not None else info.base_url, info.model), info.base_url, args)
            bench_id, earlier = book.earlier(args.resume, talk.line)
            switch = ServerSwitch(
                kit.target, kit.config.server, plan, kit.session.emitter, pause=pause_on_terminal(), say=talk.line,
                original=book.original if kit.target.demo is None else None, memory=kit.measuring.memory,
            )  # fmt: skip
            try:
                switch.prepare()
                if book.changed and kit.target.demo is None:
                    switch.resume_from_changed()
                sweep = Sweep(
                    kit.target, plan, kit.session.emitter, kit.cancel, switch, server=kit.config.server, measure=kit.measuring.run,
                    bench_id=bench_id, earlier=earlier, on_change=book.note_change,
                )  # fmt: skip
                book.begin(sweep.id, switch.original)
                sweep.run()
                book.end(complete=sweep.complete)
            finally:
                switch.close()
    finally:
        talk.close()
    records = sweep.records
    for name, why in sweep.failed.items():
        say(f"{name}: not measured. {why}")
    written = export_sweep(args, plan, records, files)
    show_sweep(plan, records, switch.settings, switch.memory)
    if sweep.stopped is not None:
        say(f"sparktui: {sweep.stopped}")
    if not sweep.complete and not args.no_history:
        say("The sweep is not complete: the same command with --resume goes on with it.")
    code = exit_code(records, interrupted=kit.cancel.is_set(), stopped=sweep.stopped, last=kit.measuring.last_error)
    return code or written or (EXIT_RUN_FAILED if sweep.failed or not sweep.restored else EXIT_OK)


class _Book:
    """The sweep's file: what is needed to go on with it, or to put the server back, should this process be killed."""

    def __init__(self, digest: str, base_url: str, args: argparse.Namespace) -> None:
        from sparktui.io.sweepstate import SweepState

        self._kept = not args.no_history
        self._state = SweepState(
            bench_id="", digest=digest, base_url=base_url, started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip

    @property
    def changed(self) -> bool:
        return self._state.changed

    @property
    def original(self) -> dict[str, object]:
        return self._state.original

    def earlier(self, resume: bool, tell: Callable[[str], object]) -> tuple[str | None, list[RunRecord]]:
        """The sweep to go on with and its runs; (None, []) for a new one. Raises UsageError where there is none to go on with."""
        from sparktui.io.sweepstate import find_state, left_changed

        if not self._kept:
            return None, []
        left = left_changed(self._state.base_url)
        if not resume:
            if left is not None:
                tell(f"note: the sweep of {left.started_at} left this server changed; `sparktui sweep --restore` puts it back first")
            return None, []
        found = find_state(self._state.digest)
        if found is None:
            title = "There is no unfinished sweep of this plan on this server."
            raise UsageError(title, hint="A changed plan is another sweep: start it without --resume.")
        self._state = found
        from sparktui.io.history import History

        with History.open() as history:
            runs = history.query(f'bench:"{found.bench_id}"', sort="started_at", limit=None)
        tell(f"going on with the sweep of {found.started_at}: {len(runs)} runs are there")
        return found.bench_id, list(runs)

    def begin(self, bench_id: str, original: dict[str, object]) -> None:
        """Write the file; from here on the sweep can be resumed."""
        self._store(bench_id=bench_id, original=self._state.original or original)

    def note_change(self, changed: bool) -> None:
        """The server left its configuration, or is back in it."""
        if changed != self._state.changed:
            self._store(changed=changed)

    def end(self, *, complete: bool) -> None:
        """Nothing is left to do, or something is."""
        from sparktui.io.sweepstate import tidy_states

        self._store(finished=complete)
        if self._kept:
            tidy_states()

    def _store(self, **fields: object) -> None:
        from sparktui.io.sweepstate import write_state

        self._state = msgspec.structs.replace(self._state, **fields)
        if not self._kept:
            return
        try:
            write_state(self._state)
        except SparkError as error:
            say(f"note: the sweep could not be resumed, should it be interrupted: {error}")


def _restore(args: argparse.Namespace) -> int:
    from sparktui.cli.benchtalk import talk_to
    from sparktui.cli.measure import measuring
    from sparktui.engine.variants import restore
    from sparktui.io.sweepstate import left_changed, write_state

    talk = talk_to()
    try:
        with measuring(args, args.loaded, "sweep", talk) as kit:
            left = left_changed(kit.target.info.base_url)
            if left is None:
                raise UsageError("No sweep left this server changed.", hint="There is nothing to put back.")
            done = restore(kit.target, kit.config.server, left.original, kit.session.emitter, talk.line)
            if done:
                write_state(msgspec.structs.replace(left, changed=False))
    finally:
        talk.close()
    return EXIT_OK if done else EXIT_RUN_FAILED
