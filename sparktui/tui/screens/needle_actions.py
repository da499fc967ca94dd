"""The key that searches for needles: it asks first, since a long prefill takes minutes."""

from __future__ import annotations

from sparktui.core.commands import Needle
from sparktui.core.figures.prefillrate import like_prefill
from sparktui.core.needleplan import short_length
from sparktui.report import numbers
from sparktui.tui.screens.live_actions import LiveActions


class NeedleActions(LiveActions):
    """`act_needle` of the live screen."""

    def act_needle(self) -> None:
        needle = self.spark.options.needle
        depths = ", ".join(f"{depth:g}" for depth in needle.depths)
        requests = len(needle.lengths) * len(needle.depths)
        lines = (
            f"{', '.join(short_length(length) for length in needle.lengths)} tokens, depth {depths}, seed {needle.seed}",
            f"{requests} request{'s' * (requests != 1)}, max {numbers.count(self.max_tokens)} tokens each",
            self._prefills(),
        )
        self._ask("Search for needles?", lines, {"enter": ("start", self._send_needle)})

    def _prefills(self) -> str:
        """What the prefills may take together, from the last known rates; every one has to be known."""
        session, needle = self.spark.session, self.spark.options.needle
        likes = [like_prefill(session.records, session.info, length) for length in needle.lengths]
        waits = [length / like.prefill_tok_s for length, like in zip(needle.lengths, likes, strict=True) if like and like.prefill_tok_s]
        if len(waits) < len(needle.lengths):
            return "how long the prefills take is not known here"
        return f"prefills ≈ {numbers.clock(sum(waits) * len(needle.depths))}"

    def _send_needle(self) -> None:
        self.spark.send(Needle(max_tokens=self.max_tokens))
