"""The simulated server through the settings of the published sweep: one band, no difference shown, and slower without a draft."""

from __future__ import annotations

from sparktui.core.config import Config
from sparktui.core.stats.cells import cell_of
from sparktui.core.sweepplan import check
from sparktui.demo.sweepprofile import published_sweep
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.measuring import Measuring
from sparktui.engine.server.target import open_target
from sparktui.engine.sweeping.sweepjob import SweepJob, configured_sweep
from sparktui.report.sweeptable import matched_variants

SPEED = 80.0


def test_every_variant_is_in_the_published_band_and_shows_no_difference() -> None:
    config = Config(sweep=published_sweep())
    plan = configured_sweep(config, max_tokens=600)
    check(plan)
    emitter = Emitter([])
    with open_target(config, demo=True, demo_speed=SPEED) as target:
        measuring = Measuring(target, emitter, config)
        job = SweepJob(target, measuring, config, plan, emitter=emitter, cancel=Cancel(), pause=None, say=lambda _: None, keep=False)
        records = job.run()
        measuring.close()
    assert job.sweep.restored
    matched = matched_variants(records, [variant.name for variant in plan.variants], plan.baseline_name)
    assert matched is not None
    assert [found.verdict for found in matched.comparisons] == ["no difference shown"] * 7 + ["slower"]
    assert all(abs((record.prompt_tokens or 0) - 8800) < 88 for record in records)
    for side in (matched.a, *matched.bs[:-1]):
        rates = [(record.server_tok_s or 0) / SPEED for record in side.runs]
        assert all(44 <= rate <= 53 for rate in rates)
        assert all(0.85 <= (record.acceptance_rate or 0) <= 0.99 for record in side.runs)
    bare = cell_of(matched.bs[-1].runs)
    assert abs(bare.medians["server_tok_s"] / SPEED - 29) < 1
    assert bare.acceptance_rate is None
