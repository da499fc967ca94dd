"""Which earlier run says what a prefill may be expected to take."""

from __future__ import annotations

import msgspec

from sparktui.core.figures.prefillrate import like_prefill
from sparktui.core.records import ServerInfo
from tests.runs import SERVER, run


def prefilled(number: int, tokens: int, rate: float, **changes: object):
    return run(number, prompt_tokens=tokens, new_tokens=tokens, prefill_tok_s=rate, **{"prefill_estimated": False, **changes})


def test_the_newest_of_about_the_size_on_the_same_server() -> None:
    runs = [prefilled(1, 18, 120.0), prefilled(2, 90_000, 790.0), prefilled(3, 100_000, 800.0)]
    found = like_prefill(runs, SERVER, 100_000)
    assert found is not None
    assert found.id == runs[1].id
    assert like_prefill(runs, SERVER, 1_000) is None
    assert like_prefill(runs, None, 500_000) is None
    assert like_prefill(runs, msgspec.structs.replace(SERVER, model="other"), 100_000) is None
    assert like_prefill(runs, ServerInfo(kind="tabbyapi", base_url="http://other", model=SERVER.model), 100_000) is None


def test_estimated_rates_and_cached_prompts_say_nothing() -> None:
    assert like_prefill([prefilled(1, 100_000, 800.0, prefill_estimated=True)], SERVER, 100_000) is None
    cached = run(1, prompt_tokens=100_000, new_tokens=160, prefill_tok_s=40.0, prefill_estimated=False)
    assert like_prefill([cached], SERVER, 100_000) is None
