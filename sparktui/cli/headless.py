"""A plan of runs without a screen: everything opened, the plan run with its talk on stderr, results shown and written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sparktui.cli.benchtalk import talk_to
from sparktui.cli.measure import Kit, measuring
from sparktui.cli.results import Files, exit_code, export, show
from sparktui.cli.streams import say
from sparktui.engine.plans.planrun import Planned


@contextmanager
def talking(args: argparse.Namespace, purpose: str) -> Iterator[Kit]:
    """What to measure with, while stderr is told how it goes. Raises what cli.measure.measuring raises."""
    talk = talk_to()
    try:
        with measuring(args, args.loaded, purpose, talk) as kit:
            yield kit
    finally:
        talk.close()


def run_plan(
    args: argparse.Namespace, purpose: str, files: Files, *, max_tokens: int | None, make: Callable[[Kit], Planned]
) -> int:  # fmt: skip
    """Run what `make` plans, write the files, show the tables; the exit code says how it went."""
    with talking(args, purpose) as kit:
        kit.warn_of_length(max_tokens)
        planned = make(kit)
        planned.run()
    written = export(args, planned.records, files)
    show(planned.records)
    return code_of(planned, kit) or written


def code_of(planned: Planned, kit: Kit) -> int:
    """The exit code of a plan that is over; why it ended early is said."""
    if planned.stopped is not None:
        say(f"sparktui: {planned.stopped}")
    return exit_code(planned.records, interrupted=kit.cancel.is_set(), stopped=planned.stopped, last=kit.measuring.last_error)
