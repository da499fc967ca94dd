"""Equal requests at once: one thread and one set of connections each."""

from __future__ import annotations

import threading

import msgspec

from sparktui.core.config import ServerConfig
from sparktui.core.plans import RunSpec
from sparktui.core.records import RunRecord
from sparktui.engine.plans.planrun import Measure, PlanRun
from sparktui.engine.server.opening import client_for
from sparktui.engine.server.target import Target


class Rounds:
    """Makes rounds of a plan's requests. `server` gives the ones made at once connections of their own."""

    def __init__(self, runs: PlanRun, target: Target, server: ServerConfig, measure: Measure) -> None:
        self._runs = runs
        self._targets = [target]
        self._server = server
        self._measure = measure

    def make(self, spec: RunSpec) -> list[RunRecord]:
        """The runs of one round, `spec.together` of them, in the order they ended."""
        first = self._targets[0]
        while len(self._targets) < spec.together:
            self._targets.append(_beside(first, self._server))
        records: list[RunRecord] = []
        failures: list[BaseException] = []

        def one(target: Target) -> None:
            try:
                records.append(self._runs.one(target, spec, self._measure))
            except BaseException as error:  # noqa: BLE001 - carried to the thread that waits, and raised there
                failures.append(error)

        others = self._targets[1 : spec.together]
        for target in others:
            target.info = first.info
        threads = [threading.Thread(target=one, args=(target,), name="run") for target in others]
        for thread in threads:
            thread.start()
        one(first)
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return records

    def close(self) -> None:
        """Close the connections that were made for runs at once."""
        for target in self._targets[1:]:
            target.close()


def _beside(target: Target, server: ServerConfig) -> Target:
    """The same server over connections of its own. A simulated one that we run gets no key."""
    settings = msgspec.structs.replace(server, api_key=None) if target.demo is not None else server
    return Target(client_for(settings, target.client.base), target.adapter, target.info, seen=target.seen, origin=target.origin)
