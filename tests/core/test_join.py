"""Which log line belongs to which run: by id, by task only where it is certain, never by guess."""

from __future__ import annotations

from functools import partial

import pytest

from sparktui.core.events import Joined, RunDone, RunStarted
from sparktui.core.figures.metrics import apply_figures
from sparktui.core.log.join import Joiner, figures_of, is_requeued, request_hex
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.core.log.traffic import NS
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo

ID = "873d2e811f6d432ca60dd43975a13752"
OTHER = "05c3a3ae0a864c5991dba54974803f57"
PROMPT = PromptInfo(name="story", sha256="00")


def metrics(request: str | None = ID, *, tokens: int = 794, n: int = 1, **more: object) -> LogRecord:
    figures: dict[str, object] = {
        "grammar": "tabbyapi", "request_id": request, "completion_tokens": tokens, "total_s": 26.86, "queue_s": 0.0, "cached_tokens": 0,
        "new_tokens": 36, "prompt_tokens": 36, "prefill_tok_s": 900.0, "server_tok_s": 29.6, "draft_accepted": 311, "draft_proposed": 533,
    }  # fmt: skip
    figures.update(more)
    return LogRecord(n=n, text="Metrics", generation=Generation(**figures))  # type: ignore[arg-type]


def task(name: str, *, tokens: int = 300, n: int = 1) -> LogRecord:
    generation = Generation(
        grammar="llamacpp",
        task=name,
        completion_tokens=tokens,
        new_tokens=18,
        total_s=5.0,
        decode_s=4.8,
        draft_accepted=236,
        draft_proposed=249,
    )
    return LogRecord(n=n, text="draft acceptance", generation=generation)


def opened(name: str) -> LogRecord:
    return LogRecord(n=0, text="launch", started=name)


def closed(name: str) -> LogRecord:
    return LogRecord(n=0, text="release", ended=name)


def record(run_id: str = "r1", *, request: str | None = f"chatcmpl-{ID}", tokens: int | None = 794, **more: object) -> RunRecord:
    values: dict[str, object] = {"prompt_tokens": 36, "decode_s": 26.3, "server_tok_s": 29.6, "status": "ok", **more}
    return RunRecord(
        id=run_id, started_at="", label="default", server=ServerInfo(kind="tabbyapi", base_url="http://x"), prompt=PROMPT,
        params=RunParams(), completion_tokens=tokens, request_id=request, **values,
    )  # type: ignore[arg-type]  # fmt: skip


class Bench:
    """A joiner with a clock in seconds."""

    def __init__(self) -> None:
        self.joiner = Joiner(partial(apply_figures, steps_checked=True, baseline=None))
        self.told: list[Joined] = []

    def start(self, t: float, run_id: str = "r1") -> None:
        self.joiner.started(
            RunStarted(run_id=run_id, prompt=PROMPT, params=RunParams(), t_send_ns=0, started_at=""), int(t * NS)
        )  # fmt: skip

    def done(self, t: float, run: RunRecord | None = None) -> None:
        run = run or record()
        self.told += self.joiner.done(RunDone(run_id=run.id, status=run.status, record=run), int(t * NS))

    def log(self, t: float, *records: LogRecord, live: bool = True) -> None:
        for one in records:
            self.told += self.joiner.log(one, int(t * NS), live=live)

    def tick(self, t: float) -> None:
        self.told += self.joiner.tick(int(t * NS))


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_c24_a_line_700_ms_after_the_end_is_joined_by_id(bench: Bench) -> None:
    bench.start(0)
    bench.done(27)
    assert bench.joiner.waits("r1")
    bench.log(27.7, metrics(n=99))
    (joined,) = bench.told
    assert (joined.run_id, joined.source, joined.scope, joined.accepted, joined.proposed, joined.n) == (
        "r1",
        "log",
        "request",
        311,
        533,
        99,
    )
    assert (joined.record.draft_accepted, joined.record.draft_proposed) == (311, 533)
    assert (joined.record.acceptance_source, joined.record.acceptance_scope) == ("log", "request")
    assert joined.record.verify_steps == 794 - 311
    assert joined.record.queue_s == 0.0
    assert not bench.joiner.waits("r1")


def test_a_line_before_the_end_is_joined_when_the_run_ends(bench: Bench) -> None:
    bench.start(0)
    bench.log(26.9, metrics())
    assert bench.told == []
    bench.done(27)
    assert [joined.record.draft_accepted for joined in bench.told] == [311]
    assert not bench.joiner.waits()


def test_any_order_gives_the_same_run() -> None:
    late, early = Bench(), Bench()
    for bench in (late, early):
        bench.start(0)
    late.done(27)
    late.log(27.1, metrics())
    early.log(26.9, metrics())
    early.done(27)
    assert late.told[-1].record == early.told[-1].record


def test_a_line_after_the_wait_is_still_joined_by_id(bench: Bench) -> None:
    bench.start(0)
    bench.done(27)
    bench.tick(31)
    assert not bench.joiner.waits("r1")
    bench.log(60, metrics())
    assert [joined.record.draft_accepted for joined in bench.told] == [311]


def test_what_the_answer_said_stays(bench: Bench) -> None:
    bench.start(0)
    bench.done(27, record(draft_accepted=300, draft_proposed=500, acceptance_source="usage", acceptance_scope="request"))
    bench.log(27.1, metrics(tokens=790))
    joined = bench.told[-1].record
    assert (joined.draft_accepted, joined.draft_proposed, joined.acceptance_source) == (300, 500, "usage")
    assert joined.completion_tokens == 794
    assert "token_mismatch" in joined.flags
    assert any("790" in warning for warning in joined.warnings)


def test_a_second_line_with_the_same_id_changes_nothing(bench: Bench) -> None:
    bench.start(0)
    bench.done(27)
    bench.log(27.1, metrics())
    bench.log(27.2, metrics(draft_accepted=1, n=5))
    assert len(bench.told) == 1


def test_two_choices_are_summed(bench: Bench) -> None:
    bench.start(0)
    bench.done(27, record(tokens=242))
    bench.log(27.1, metrics(tokens=121, choice=0, draft_accepted=70, draft_proposed=110))
    bench.log(27.1, metrics(tokens=121, choice=1, draft_accepted=70, draft_proposed=110))
    final = bench.told[-1].record
    assert (final.draft_accepted, final.draft_proposed) == (140, 220)
    assert "token_mismatch" not in final.flags


def test_a_requeued_generation_is_flagged(bench: Bench) -> None:
    bench.start(0)
    bench.done(10, record(tokens=316))
    requeued = metrics(tokens=316, cached_tokens=512, new_tokens=252, prompt_tokens=33, draft_accepted=30, draft_proposed=59)
    bench.log(10.1, requeued)
    assert requeued.generation is not None and is_requeued(requeued.generation)
    assert "partial_acceptance" in bench.told[-1].record.flags


def test_b15_queue_time_marks_the_run_not_idle(bench: Bench) -> None:
    bench.start(0)
    bench.done(27)
    bench.log(27.1, metrics(queue_s=9.5))
    assert bench.told[-1].record.queue_s == 9.5
    assert "not_idle" in bench.told[-1].record.flags


def test_another_clients_request_marks_the_run(bench: Bench) -> None:
    bench.start(0)
    bench.log(0.1, opened(ID))
    bench.log(5, opened(OTHER))
    bench.log(9, metrics(OTHER, total_s=4.0, n=3))
    bench.done(27)
    assert {"other_traffic", "not_idle"} <= set(bench.told[-1].record.flags)
    assert bench.told[-1].record.draft_accepted is None
    bench.log(27.1, metrics(n=4))
    assert {"other_traffic", "not_idle"} <= set(bench.told[-1].record.flags)
    assert bench.told[-1].record.draft_accepted == 311


def test_requests_before_and_after_a_run_do_not_mark_it(bench: Bench) -> None:
    bench.log(1, opened(OTHER))
    bench.log(9.9, closed(OTHER))
    bench.start(10)
    bench.log(10.05, metrics(OTHER, total_s=8.0))
    bench.log(10.1, opened(ID))
    bench.done(37)
    bench.log(37.1, metrics(), opened("11112222333344445555666677778888"))
    bench.tick(41)
    assert bench.told
    assert all("other_traffic" not in joined.record.flags for joined in bench.told)


def test_our_own_parallel_runs_are_no_other_traffic(bench: Bench) -> None:
    bench.start(0, "r1")
    bench.start(0, "r2")
    bench.log(0.1, opened(ID), opened(OTHER))
    bench.done(20, record("r1"))
    bench.log(20.1, metrics())
    bench.done(27, record("r2", request=f"chatcmpl-{OTHER}"))
    bench.log(27.1, metrics(OTHER, draft_accepted=9))
    bench.tick(31)
    assert [(joined.run_id, joined.record.draft_accepted) for joined in bench.told] == [("r1", 311), ("r2", 9)]
    assert all("other_traffic" not in joined.record.flags for joined in bench.told)


def test_a_third_request_beside_two_of_ours_is_other_traffic(bench: Bench) -> None:
    bench.start(0, "r1")
    bench.start(0, "r2")
    bench.log(0.1, opened(ID), opened(OTHER), opened("11112222333344445555666677778888"))
    bench.done(20, record("r1"))
    assert "other_traffic" in bench.told[-1].record.flags


def test_lines_from_before_following_are_joined_only_by_id(bench: Bench) -> None:
    bench.start(0)
    bench.log(1, opened("7"), task("7", tokens=794), live=False)
    bench.done(6, record(request="chatcmpl-abc", tokens=794))
    bench.tick(10)
    assert bench.told == []


def test_one_task_and_one_run_are_joined_at_once(bench: Bench) -> None:
    bench.start(0)
    bench.log(0.1, opened("66"))
    bench.log(5, task("66", n=8), closed("66"))
    bench.done(5.01, record(request="chatcmpl-XyZ", tokens=300))
    (joined,) = bench.told
    assert (joined.accepted, joined.proposed, joined.n) == (236, 249, 8)
    assert joined.record.verify_steps == 64


def test_two_tasks_at_once_are_never_guessed(bench: Bench) -> None:
    bench.start(0)
    bench.log(0.1, opened("66"), opened("67"))
    bench.log(5, task("66"), closed("66"))
    bench.done(5.01, record(request=None, tokens=300))
    bench.log(5.2, task("67", tokens=150), closed("67"))
    bench.tick(9)
    assert all(joined.accepted is None and joined.record.draft_accepted is None for joined in bench.told)
    assert "other_traffic" in bench.told[-1].record.flags


def test_a_task_with_another_token_count_is_not_ours(bench: Bench) -> None:
    bench.start(0)
    bench.log(0.1, opened("66"))
    bench.log(5, task("66", tokens=299), closed("66"))
    bench.done(5.01, record(request=None, tokens=300))
    bench.tick(9)
    assert all(joined.accepted is None for joined in bench.told)


def test_without_the_first_line_a_task_is_joined_when_no_other_can_come(bench: Bench) -> None:
    bench.start(0)
    bench.done(5.01, record(request=None, tokens=300))
    bench.log(5.1, task("66"), closed("66"))
    bench.tick(7)
    assert bench.told == []
    assert bench.joiner.waits("r1")
    bench.tick(8.1)
    assert [joined.accepted for joined in bench.told] == [236]
    assert not bench.joiner.waits("r1")


def test_a_line_without_any_name_is_joined_when_it_is_the_only_one(bench: Bench) -> None:
    bench.start(0)
    bench.done(27, record(request=None))
    bench.log(27.1, metrics(None, n=12))
    bench.tick(30.1)
    assert [(joined.accepted, joined.n) for joined in bench.told] == [(311, 12)]


def test_sequential_tasks_go_to_their_runs_in_order(bench: Bench) -> None:
    for number, (name, accepted) in enumerate((("1", 300), ("2", 200))):
        t, run = number * 10.0, f"r{number}"
        bench.start(t, run)
        bench.log(t + 0.1, opened(name))
        bench.log(t + 5, task(name, tokens=accepted), closed(name))
        bench.done(t + 5.1, record(run, request=None, tokens=accepted))
    assert [joined.run_id for joined in bench.told] == ["r0", "r1"]
    assert all("other_traffic" not in joined.record.flags for joined in bench.told)


def test_the_whole_block_of_a_very_short_run_may_come_after_it(bench: Bench) -> None:
    bench.start(0)
    bench.done(0.05, record(request=None, tokens=300))
    bench.log(0.3, opened("5"), task("5"), closed("5"))
    bench.tick(3.1)
    assert [joined.accepted for joined in bench.told] == [236]


def test_a_cancelled_run_is_not_waited_for(bench: Bench) -> None:
    bench.start(0)
    bench.done(4, record(status="cancelled"))
    assert not bench.joiner.waits("r1")


def test_a_log_of_intervals_only_is_not_waited_for(bench: Bench) -> None:
    bench.log(0, LogRecord(n=1, text="", generation=Generation(grammar="vllm", scope="interval", draft_accepted=48, draft_proposed=88)))
    bench.start(1)
    bench.done(5, record(request="chatcmpl-5f"))
    assert not bench.joiner.waits("r1")
    assert bench.told == []


def test_a_log_that_tells_of_no_request_is_not_waited_for_for_ever(bench: Bench) -> None:
    for number in range(3):
        bench.start(number * 10, f"r{number}")
        bench.done(number * 10 + 1, record(f"r{number}", request=None))
        assert bench.joiner.waits(f"r{number}")
        bench.tick(number * 10 + 5)
    bench.start(40, "r4")
    bench.done(41, record("r4", request=None))
    assert not bench.joiner.waits("r4")


def test_more_running_requests_than_ours_mark_the_run(bench: Bench) -> None:
    bench.start(0)
    bench.log(2, LogRecord(n=1, text="", generation=Generation(grammar="vllm", scope="interval", running=3, waiting=0)))
    bench.done(5, record(request="chatcmpl-5f"))
    assert {"other_traffic", "not_idle"} <= set(bench.told[-1].record.flags)


def test_a_server_restart_ends_open_requests(bench: Bench) -> None:
    bench.log(0, opened(OTHER))
    bench.joiner.restarted(1 * NS)
    bench.start(10)
    bench.done(20)
    bench.tick(24)
    assert bench.told == []


def test_a_retry_starts_the_window_anew(bench: Bench) -> None:
    bench.start(0)
    bench.log(0.1, opened("1"), closed("1"))
    bench.start(8)
    bench.log(8.1, opened("2"))
    bench.log(13, task("2"), closed("2"))
    bench.done(13.1, record(request=None, tokens=300))
    assert [joined.accepted for joined in bench.told] == [236]


def test_what_a_metrics_endpoint_told_is_kept_when_the_log_adds_to_it(bench: Bench) -> None:
    bench.start(0)
    bench.done(27)
    told = record(draft_accepted=48, draft_proposed=88, acceptance_source="metrics_endpoint", acceptance_scope="request")
    bench.joiner.revised(Joined(run_id="r1", source="metrics_endpoint", record=told, accepted=48, proposed=88))
    bench.joiner.revised(Joined(run_id="r1", source="metrics_endpoint", scope="interval", record=record(), accepted=400, proposed=800))
    bench.joiner.revised(Joined(run_id="unknown", source="metrics_endpoint", record=told))
    bench.log(27.1, metrics())
    final = bench.told[-1].record
    assert (final.draft_accepted, final.acceptance_source, final.queue_s) == (48, "metrics_endpoint", 0.0)


def test_request_ids() -> None:
    assert request_hex(f"chatcmpl-{ID}") == request_hex(f"cmpl-{ID}") == request_hex(ID) == ID
    assert request_hex("chatcmpl-abc") == request_hex(None) == request_hex(f"{ID}-0") == ""


def test_times_follow_from_printed_rates() -> None:
    generation = metrics().generation
    assert generation is not None
    figures = figures_of({0: generation})
    assert figures.decode_s == pytest.approx(794 / 29.6)
    assert figures.prefill_s == pytest.approx(0.04)
    nothing = figures_of({0: Generation(grammar="tabbyapi", draft_accepted=0, draft_proposed=0)})
    assert nothing.draft_proposed is None
    assert nothing.acceptance_source is None
