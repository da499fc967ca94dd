"""The engine model against every cell of the reference measurements, without a server and without sleeping."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import pytest

from sparktui.demo.model import Pace, Step, draw_steps, plan_decode, step_s
from sparktui.demo.paces import Kind, pace_of
from sparktui.demo.prefill import prefill_s
from sparktui.demo.sequence import points, radical_inverse, spread

SEEDS = 60


@dataclass(frozen=True)
class Simulated:
    client_tok_s: float
    server_tok_s: float
    chunks: int
    ttft_s: float
    acceptance: float
    steps_per_chunk: float
    first_tokens: int


def simulate(kind: Kind, temperature: float, run: int, *, tokens: int = 794, prompt_tokens: int = 18, draft: int = 5) -> Simulated:
    decode = plan_decode(tokens, pace_of(kind, temperature, draft, run=run), f"{kind}/{temperature}/{run}")
    first, last = decode.chunks[0], decode.chunks[-1]
    assert decode.steps == tokens - decode.accepted
    return Simulated(
        client_tok_s=tokens / (last.after_s - first.after_s),
        server_tok_s=tokens / decode.decode_s,
        chunks=len(decode.chunks),
        ttft_s=prefill_s(prompt_tokens) + first.after_s,
        acceptance=decode.accepted / decode.proposed if decode.proposed else 0.0,
        steps_per_chunk=decode.steps / len(decode.chunks),
        first_tokens=first.tokens,
    )


@dataclass(frozen=True)
class Cell:
    """The medians of the reference, and what every run keeps to."""

    kind: Kind
    temperature: float
    prompt_tokens: int
    client_tok_s: float
    server_tok_s: float
    chunks: tuple[int, int]
    ttft_s: tuple[float, float]
    acceptance: tuple[float, float]


CELLS = (
    Cell("prose", 1.0, 18, 30.2, 29.7, (150, 165), (0.55, 0.65), (0.58, 0.74)),
    Cell("prose", 0, 18, 31.8, 31.2, (150, 165), (0.55, 0.65), (0.58, 0.74)),
    Cell("code", 0, 38, 57.3, 53.9, (44, 56), (1.0, 1.2), (0.88, 0.92)),
    Cell("code", 1.0, 38, 53.3, 50.3, (44, 56), (1.0, 1.2), (0.80, 0.90)),
)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.kind} {cell.temperature}")
def test_every_published_cell(cell: Cell) -> None:
    runs = [simulate(cell.kind, cell.temperature, run, prompt_tokens=cell.prompt_tokens) for run in range(SEEDS)]
    for run in runs:
        assert cell.chunks[0] <= run.chunks <= cell.chunks[1]
        assert cell.ttft_s[0] <= run.ttft_s <= cell.ttft_s[1]
        assert cell.acceptance[0] <= run.acceptance <= cell.acceptance[1]
    for three in (runs[n : n + 3] for n in range(SEEDS - 2)):
        assert median(run.client_tok_s for run in three) == pytest.approx(cell.client_tok_s, rel=0.03)
        assert median(run.server_tok_s for run in three) == pytest.approx(cell.server_tok_s, rel=0.03)


def test_without_a_draft_it_makes_29_tokens_a_second() -> None:
    run = simulate("code", 1.0, 0, tokens=799, draft=0)
    assert run.server_tok_s == pytest.approx(1 / 0.0345)
    assert run.client_tok_s == pytest.approx(29, abs=1)
    assert run.first_tokens == 7
    assert run.acceptance == 0


def test_a_chunk_is_three_steps_and_the_first_holds_seven() -> None:
    code = simulate("code", 0, 0)
    assert 2.9 < code.steps_per_chunk < 3.15
    assert 30 <= code.first_tokens <= 42
    decode = plan_decode(146, Pace(0, 0, 0), "x")
    assert [chunk.tokens for chunk in decode.chunks[:3]] == [7, 10, 13]
    assert len(decode.chunks) == 48


@pytest.mark.parametrize("tokens", [1, 2, 7, 8, 9, 40])
def test_short_answers_end_with_all_their_tokens(tokens: int) -> None:
    decode = plan_decode(tokens, pace_of("code", 0), "short")
    assert decode.chunks[-1].tokens == tokens
    assert decode.chunks[-1].after_s == decode.decode_s
    assert decode.steps == tokens - decode.accepted
    assert decode.accepted <= decode.proposed


def test_a_step_costs_more_the_more_it_drafts() -> None:
    assert step_s(0) == pytest.approx(0.0345 * 1.26)
    assert step_s(5) == pytest.approx(0.0345 * (1.26 + 5 * 0.337))
    assert step_s(0, drafting=False) == 0.0345


def test_outcomes_are_a_distribution() -> None:
    pace = Pace(0.518, 0.779)
    outcomes = dict(pace.outcomes())
    assert sum(outcomes.values()) == pytest.approx(1)
    assert len(outcomes) == 21
    assert sum(step.accepted * weight for step, weight in outcomes.items()) + 1 == pytest.approx(pace.tokens_per_step)
    assert outcomes[Step(5, 5)] == pytest.approx(0.518**5 * 0.779**5)


def test_the_same_seed_draws_the_same_steps() -> None:
    pace = pace_of("prose", 1.0)
    assert draw_steps(300, pace, "a") == draw_steps(300, pace, "a")
    assert draw_steps(300, pace, "a") != draw_steps(300, pace, "b")


def test_steps_stray_less_than_independent_draws_would() -> None:
    counts = [len(draw_steps(794, pace_of("prose", 0), str(seed))) for seed in range(SEEDS)]
    assert max(counts) - min(counts) < 20


@pytest.mark.parametrize("draft_tokens", [3, 4, 5, 6, 8])
def test_structured_output_runs_in_the_reference_band(draft_tokens: int) -> None:
    for run in range(24):
        found = simulate("structured", 0, run, tokens=1_456, prompt_tokens=8_800, draft=draft_tokens)
        assert 45 <= found.client_tok_s <= 53
        assert 45 <= found.server_tok_s <= 53
        assert 0.85 <= found.acceptance <= 0.99


def test_ngram_drafts_less() -> None:
    assert pace_of("prose", 0, ngram=True).tok_s < pace_of("prose", 0).tok_s


def test_temperatures_between_lie_between() -> None:
    rates = [pace_of("code", temperature).tok_s for temperature in (0, 0.5, 1.0, 2.0)]
    assert rates[0] > rates[1] > rates[2] == rates[3]


def test_points_cover_each_32nd_once_a_block() -> None:
    stream = points("seed")
    for _ in range(5):
        block = [next(stream) for _ in range(32)]
        assert sorted(int(point * 32) for point in block) == list(range(32))
        assert sorted(int(point * 8) for point in block[:8]) == list(range(8))


def test_radical_inverse() -> None:
    assert [radical_inverse(n) for n in range(5)] == [0, 0.5, 0.25, 0.75, 0.125]


def test_three_runs_in_a_row_spread_over_all_thirds() -> None:
    for start in range(30):
        assert {int(spread(start + n) * 3) for n in range(3)} == {0, 1, 2}
