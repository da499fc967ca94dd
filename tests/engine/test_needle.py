"""A search for needles against a server with a tokenizer of its own: order, rows, sizes, cancelling, what is told."""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec
import pytest

from sparktui.core.delta import PromptProgress
from sparktui.core.events import AnyEvent, Plan, PlanProgress, RunDone, RunStarted, Waiting, Warning
from sparktui.core.needleplan import NeedlePlan, spread
from sparktui.core.records import RunRecord
from sparktui.engine.plans.needle import NeedleSearch
from sparktui.engine.plans.prefillrates import PrefillRates
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.target import Target
from tests.engine.support_needle import TokenServer, answer_to
from tests.engine.support_runs import target_of

PLAN = NeedlePlan(lengths=(600, 1_200), depths=(0.1, 0.9), max_tokens=50)


def search(target: Target, plan: NeedlePlan = PLAN, cancel: Cancel | None = None, **options: Any) -> tuple[NeedleSearch, list[AnyEvent]]:
    events: list[AnyEvent] = []
    return NeedleSearch(target, plan, Emitter([events.append]), cancel or Cancel(), waits_s=(), **options), events


def of(events: list[AnyEvent], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def needles_of(records: list[RunRecord]) -> list[dict[str, Any]]:
    return [record.needle or {} for record in records]


def test_lengths_times_depths_all_found_and_sized_to_one_percent() -> None:
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        found, _ = search(target)
        records = found.run()
    assert [(needle["length"], needle["depth"], needle["found"]) for needle in needles_of(records)] == [
        (600, 0.1, True), (600, 0.9, True), (1_200, 0.1, True), (1_200, 0.9, True),
    ]  # fmt: skip
    for record in records:
        assert record.needle is not None
        assert record.prompt_tokens == pytest.approx(record.needle["length"], rel=0.01)
        assert (record.prompt.text, record.prompt.name, record.bench_id) == (None, "needle", found.id)
        assert record.text == record.needle["code"]
    first_lines = {prompt["messages"][0]["content"].split("\n")[0] for prompt in server.prompts}
    assert len(first_lines) == 4
    assert all(prompt["cache_prompt"] is False and prompt["temperature"] == 0 for prompt in server.prompts)


def test_what_is_told_along_the_way() -> None:
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        found, events = search(target)
        found.run()
    plan = of(events, Plan)[0]
    assert (plan.kind, plan.total, plan.plan_id) == ("needle", 4, found.id)
    assert plan.cells[1] == {"prompt": "needle", "length": 600, "depths": [0.9], "warm": False, "runs": 1}
    progress = of(events, PlanProgress)
    assert [event.done for event in progress] == [0, 1, 2, 3, 4]
    assert [event.finished for event in progress] == [False] * 4 + [True]
    started = of(events, RunStarted)
    assert [(event.run_no, event.runs, event.prompt.text) for event in started] == [(n, 4, None) for n in (1, 2, 3, 4)]
    assert all("found" not in event.needle for event in started)


def test_several_needles_in_one_prompt() -> None:
    with TokenServer(answer=lambda prompt: answer_to(prompt)[:7]) as server, target_of(server.url, "llamacpp") as target:
        found, _ = search(target, NeedlePlan(lengths=(1_000,), depths=spread(3), together=True, max_tokens=50))
        needle = needles_of(found.run())[0]
    assert len(set(needle["codes"])) == 3
    assert (needle["found"], needle["found_each"]) == (False, [True, False, False])


def test_b14_what_does_not_fit_is_a_row_and_the_search_goes_on() -> None:
    with TokenServer(ctx=1_000) as server, target_of(server.url, "llamacpp") as target:
        target.info = _with_ctx(target, 1_000)
        found, events = search(target, NeedlePlan(lengths=(2_000, 3_000, 4_000, 600), max_tokens=50))
        records = found.run()
    assert [(record.status, (record.needle or {}).get("refused")) for record in records] == [
        ("failed", "does not fit (2,050 > 1,000)"), ("failed", "does not fit (3,050 > 1,000)"), ("failed", "does not fit (4,050 > 1,000)"),
        ("ok", None),
    ]  # fmt: skip
    assert records[0].error == "The prompt does not fit (2,050 > 1,000); it was not sent."
    assert needles_of(records)[0]["found"] is None
    assert len(server.prompts) == 1
    assert [event.status for event in of(events, RunDone)] == ["failed"] * 3 + ["ok"]
    assert found.stopped is None


def test_b14_a_server_that_refuses_by_itself_is_a_row_too() -> None:
    with TokenServer(ctx=1_000) as server, target_of(server.url, "llamacpp") as target:
        found, _ = search(target, NeedlePlan(lengths=(2_000, 3_000, 4_000, 600), max_tokens=50))
        records = found.run()
    refused = [needle.get("refused") for needle in needles_of(records)]
    assert [record.status for record in records] == ["failed"] * 3 + ["ok"]
    assert refused[0] == f"does not fit ({records[0].needle['length_tokens']:,} > 1,000)"  # type: ignore[index]
    assert all(refused[:3])
    assert needles_of(records)[0]["found"] is None


def test_a_missed_needle_is_not_found_and_an_empty_answer_not_known() -> None:
    with TokenServer(answer=lambda _: "I cannot say.") as server, target_of(server.url, "llamacpp") as target:
        assert needles_of(search(target)[0].run())[0]["found"] is False
    with TokenServer(answer=lambda _: "") as server, target_of(server.url, "llamacpp") as target:
        assert needles_of(search(target)[0].run())[0]["found"] is None


def test_warm_sends_the_same_prompt_twice_and_lets_the_cache_work() -> None:
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        found, _ = search(target, NeedlePlan(lengths=(600,), warm=True, max_tokens=50))
        cold, warm = needles_of(found.run())
    texts = [prompt["messages"][0]["content"] for prompt in server.prompts]
    assert texts[0] == texts[1]
    assert all(prompt["cache_prompt"] is True for prompt in server.prompts)
    assert "warm" not in cold
    assert warm["warm"] is True
    assert cold["code"] == warm["code"]


def test_without_a_tokenizer_the_first_runs_count_sizes_the_rest() -> None:
    with TokenServer(tokenizer=False, factor=1.5) as server, target_of(server.url, "openai") as target:
        found, _ = search(target, NeedlePlan(lengths=(2_000, 4_000), max_tokens=50))
        records = found.run()
    assert all((record.needle or {})["length_estimated"] for record in records)
    assert [record.prompt_tokens for record in records] == pytest.approx([2_000, 4_000], rel=0.03)


def test_a_tokenizer_that_disagrees_with_the_count_is_told_and_not_used_again() -> None:
    with TokenServer(factor=1.2) as server, target_of(server.url, "llamacpp") as target:
        found, events = search(target, NeedlePlan(lengths=(2_000, 4_000), max_tokens=50))
        records = found.run()
    assert records[0].prompt_tokens == pytest.approx(2_400, rel=0.01)
    assert records[1].prompt_tokens == pytest.approx(4_000, rel=0.01)
    told = [event.text for event in of(events, Warning) if event.code == "needle_length"]
    assert told == [f"The prompt was {records[0].prompt_tokens:,} tokens, 20.0% more than asked; the next ones are sized by that."]


def test_a49_cancelling_in_the_prefill_ends_the_search_at_once() -> None:
    cancel = Cancel()
    with TokenServer(before=lambda peer: peer.pause(20)) as server, target_of(server.url, "llamacpp") as target:
        found, events = search(target, cancel=cancel)
        timer = threading.Timer(0.3, cancel.set)
        timer.start()
        begun = time.monotonic()
        records = found.run()
        assert time.monotonic() - begun < 3
    assert [record.status for record in records] == ["cancelled"]
    assert needles_of(records)[0]["found"] is None
    assert found.stopped is None
    assert of(events, PlanProgress)[-1].finished


def test_cancelling_one_run_goes_on_with_the_next() -> None:
    pauses = [20.0]
    with TokenServer(before=lambda peer: peer.pause(pauses.pop() if pauses else 0)) as server, target_of(server.url, "llamacpp") as target:
        found, _ = search(target)
        timer = threading.Timer(0.3, found.cancel_current)
        timer.start()
        records = found.run()
    assert [record.status for record in records] == ["cancelled", "ok", "ok", "ok"]
    assert "The run before this one was cancelled" in records[1].warnings[0]


def test_a_stop_while_a_prompt_is_sized_leaves_nothing_behind() -> None:
    cancel = Cancel()
    cancel.set()
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        found, events = search(target, cancel=cancel)
        assert found.run() == []
    assert of(events, PlanProgress)[-1].finished
    assert server.prompts == []


def test_the_expected_prefill_comes_from_runs_before() -> None:
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        found, events = search(target, measure=_measured_at(500.0), rates=PrefillRates(None))
        found.run()
    eta = [event.eta_s for event in of(events, PlanProgress)]
    assert eta[0] is None
    assert eta[1] == pytest.approx(0.6 / 0.5 + 2 * 1.2 / 0.5, abs=0.5)


def test_progress_and_keep_alives_are_told_in_the_prefill() -> None:
    def before(peer: Any) -> None:
        peer.chunk(b": ping\n\n")
        peer.pause(0.15)
        peer.chunk(b'data: {"choices":[],"prompt_progress":{"total":600,"cache":0,"processed":300,"time_ms":10}}\n\n')

    with TokenServer(before=before) as server, target_of(server.url, "llamacpp") as target:
        found, events = search(target, NeedlePlan(lengths=(600,), max_tokens=50))
        assert needles_of(found.run())[0]["found"] is True
    told = of(events, Waiting)
    assert (told[-1].pings, told[-1].prompt_progress) == (1, PromptProgress(300, 600, 0, 0.01))


def _with_ctx(target: Target, ctx: int) -> Any:
    return msgspec.structs.replace(target.info, ctx=ctx)


def _measured_at(rate: float) -> Any:
    def measure(target: Target, spec: Any, emitter: Emitter, cancel: Cancel) -> RunRecord:
        length = spec.needle["length"]
        assert spec.expected_prefill_s is None or spec.expected_prefill_s == pytest.approx(length / rate)
        return RunRecord(
            id=f"r{spec.run_no}", started_at="", label=spec.label, status="ok", server=target.info, params=spec.params, chunks=1,
            prompt=spec.prompt.info(keep_text=False), bench_id=spec.bench_id, prompt_tokens=length, prefill_s=0.0, prefill_tok_s=rate,
            needle=spec.needle,
        )  # fmt: skip

    return measure
