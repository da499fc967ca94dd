"""Which runs may serve as the baseline without a draft."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sparktui.core.records import RunParams, RunRecord, ServerInfo
from sparktui.core.stats.baseline import Baseline, choose_baseline, drafted, why_no_baseline_run
from tests.core.builders import SERVER, record

PLAIN = msgspec.structs.replace(SERVER, draft="none")


def plain(number: int, rate: float = 29.0, **changes: Any) -> RunRecord:
    values: dict[str, Any] = {"server": PLAIN, "server_tok_s": rate, "client_tok_s_net": rate - 0.2, "label": "no draft", **changes}
    return record(id=f"b{number}", started_at=f"2030-01-01T10:00:{number:02}+00:00", **values)


def test_the_newest_cell_without_a_draft_gives_its_medians() -> None:
    found = choose_baseline(record(), [plain(1, 28.0), plain(2, 29.0), plain(3, 29.5), plain(0, 50.0, label="older cell")])
    assert found == Baseline(id="b3", server_tok_s=29.0, client_tok_s_net=28.8, n=3)
    assert found.tok_s == 29.0


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "failed"},
        {"warmup": True},
        {"flags": ("not_idle",)},
        {"draft_proposed": 10, "draft_accepted": 5},
        {"server": msgspec.structs.replace(PLAIN, model="other")},
        {"server": msgspec.structs.replace(PLAIN, base_url="http://other")},
        {"server": SERVER},
        {"params": RunParams(temperature=0, max_tokens=800)},
        {"server_tok_s": None, "client_tok_s_net": None},
        {"id": "r1"},
    ],
)
def test_runs_that_do_not_fit_are_no_baseline(changes: dict[str, Any]) -> None:
    other = msgspec.structs.replace(plain(1), **changes)
    assert choose_baseline(record(), [other]) is None
    assert choose_baseline(record(), [other], 29.0) == Baseline(id="config", server_tok_s=29.0, client_tok_s_net=29.0)


def test_a_measured_cell_goes_before_the_configured_number() -> None:
    found = choose_baseline(record(), [plain(1, 28.0)], 31.0)
    assert found is not None
    assert (found.id, found.server_tok_s) == ("b1", 28.0)


def test_the_clients_rate_stands_in_where_the_server_gives_none() -> None:
    found = choose_baseline(record(), [plain(1, server_tok_s=None)])
    assert found is not None
    assert (found.server_tok_s, found.tok_s) == (None, 28.8)


def test_whether_a_run_drafted_is_known_only_with_evidence() -> None:
    llama = ServerInfo(kind="llamacpp", base_url="http://x")
    assert drafted(record(draft_proposed=3)) is True
    assert drafted(record(server=msgspec.structs.replace(SERVER, draft="MTP"))) is True
    assert drafted(record(server=PLAIN)) is False
    assert drafted(record(acceptance_source="log")) is False
    assert drafted(record(acceptance_source="usage")) is None
    assert drafted(record(server=llama, server_tok_s=17.0)) is False
    assert drafted(record(server=llama)) is None
    assert drafted(record()) is None


def test_why_there_is_no_run_to_set_beside_one() -> None:
    assert why_no_baseline_run(record(baseline_id="r-7")) == ""
    assert "baseline_tok_s" in why_no_baseline_run(record(baseline_id="config"))
    assert "was in the history" in why_no_baseline_run(record())
    assert "without a draft itself" in why_no_baseline_run(plain(1, 29.0))
