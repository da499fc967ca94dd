"""Getting the server to a variant of a sweep, and back to what it was."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import msgspec

from sparktui.core.config import ServerConfig, VariantConfig
from sparktui.core.events import Server
from sparktui.core.loadmemory import LoadMemory
from sparktui.core.scrub import mask_secrets
from sparktui.core.sweepplan import PUTTING_BACK, SweepPlan, place_of, sort_of
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.ticker import MemorySampler
from sparktui.engine.server.opening import client_for
from sparktui.engine.server.serverready import wait_ready
from sparktui.engine.server.target import Target
from sparktui.engine.sweeping.loadmemory import MemoryAround
from sparktui.engine.sweeping.modelload import ModelLoader
from sparktui.errors import SparkError, UsageError
from sparktui.io.http.failures import StoppedError
from sparktui.io.variantcommand import run_command
from sparktui.servers.tabbyload import Setting, changed, drops_draft, load_body, settings_after, without_draft

Pause = Callable[[str, Cancel], bool]
"""Shows a text and waits until the user says that it is done; False when cancelled instead."""

_LOADS = ("tabbyapi", "demo")
_BACK_WAITS_S = (0.0, 2.0, 5.0, 15.0)
_BACK_WITHIN_S = 600.0


class ServerSwitch:
    """The server of one sweep. `settings` by variant tell what became of what was asked for, `memory` what its first load
    changed there (`memory` samples it, None = it cannot be seen).

    `changed`: it may be in another configuration than at the start. `original`: the load that puts it back, {} where nothing loads.
    """

    def __init__(
        self, target: Target, server: ServerConfig, plan: SweepPlan, emitter: Emitter, *,
        pause: Pause | None, say: Callable[[str], object], original: dict[str, Any] | None = None, memory: MemorySampler | None = None,
    ) -> None:  # fmt: skip
        self._target = target
        self._server = server
        self._plan = plan
        self._emitter = emitter
        self._pause = pause
        self._say = say
        self._at = ""
        self._sorts = {sort_of(variant) for variant in plan.variants}
        self._loader = self._make_loader() if "load" in self._sorts else None
        self._before: dict[str, Any] = {}
        self._draft_before = target.info.draft
        self.original = original or {}
        self.changed = False
        self.settings: dict[str, tuple[Setting, ...]] = {}
        self.memory: dict[str, LoadMemory] = {}
        self._sampler = memory

    def prepare(self, check: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
        """Read the current configuration and refuse what could not be done, or undone. Raises UsageError, UnreachableError.

        `check` sees the configuration that the server will be put back to, and may refuse it.
        """
        if "manual" in self._sorts and self._pause is None:
            raise UsageError("A variant waits for somebody to switch the server by hand.", hint="Run the sweep on a terminal.")
        if self._loader is None:
            return
        self._loader.check_permission()
        self._before = self._loader.card()
        if self.original:
            return
        body = load_body(self._before, self._target.info.draft)
        if not body:
            raise UsageError("No model is loaded, so there is nothing to come back to.", hint="Load the one to start from, then sweep.")
        restore = self._plan.restore.load
        self.original = changed(body, restore or {})
        check(self.original)
        if drops_draft(self.original) and restore is None:
            raise UsageError(
                "The server does not tell whether it drafts, and a load without draft settings drops MTP.",
                hint="Say in `sweep.restore.load` what it runs with: {draft_model: {draft_mode: mtp}}, or {} where it has no draft.",
            )

    def close(self) -> None:
        """Let go of the admin's connections."""
        if self._loader is not None:
            self._loader.close()

    def resume_from_changed(self) -> None:
        """The server is not as the sweep first found it: the next variant, whichever it is, needs its change."""
        self._at, self.changed = "?", True

    def to(self, variant: VariantConfig, cancel: Cancel) -> bool:
        """Have the server as `variant` wants it; whether that took a change. Raises SparkError, StoppedError."""
        place = place_of(variant)
        if place == self._at:
            return False
        self.changed, self._at = True, "?"
        if self._loader is not None:
            self._load(variant, self._loader, cancel)
        elif variant.command is not None:
            self._tell(f"{variant.name}: its command")
            run_command(variant.command, within_s=variant.health_wait_s, stop=cancel)
            wait_ready(self._target, self._server, self._emitter, cancel, within_s=variant.health_wait_s)
        elif variant.manual is not None and self._pause is not None:
            if not self._pause(f"{variant.name}: {variant.manual}", cancel):
                raise StoppedError()
            wait_ready(self._target, self._server, self._emitter, cancel, within_s=variant.health_wait_s)
        self._at = place
        self.changed = place != "" or self._loader is None
        return True

    def back(self) -> bool:
        """Put the server back to what it was; True where it is. What could not be done, and what to do then, is said."""
        if not self.changed:
            return True
        if self._loader is not None:
            return self._load_back(self._loader)
        if (command := self._plan.restore.command) is not None:
            return self._command_back(command)
        left = f"as variant {self._at!r} has it" if self._at != "?" else "in the middle of a change"
        hint = "switch it back by hand" + ("; `sweep.restore.command` would do it" if "command" in self._sorts else "")
        self._say(f"The server is left {left}: {hint}.")
        return False

    def _load(self, variant: VariantConfig, loader: ModelLoader, cancel: Cancel) -> None:
        asked = variant.load or {}
        body = changed(self.original, asked)
        if variant.load is not None and drops_draft(body):
            self._say(f"{variant.name}: this load names no draft settings, and TabbyAPI then loads without a draft (MTP included).")
        around = MemoryAround(self._sampler, self._target.info) if variant.name not in self.memory else None
        loader.about = variant.name
        loader.load(body, cancel)
        if around is not None and (seen := around.loaded(self._target.info, cancel)) is not None:
            self.memory[variant.name] = seen
        if variant.load is None:
            return
        wanted = {**asked, **({"draft_model": body["draft_model"]} if self._lost_its_draft(body) else {})}
        found = settings_after(wanted, self._before, loader.card(), self._target.info.draft, self._draft_before)
        known = self.settings.get(variant.name)
        self.settings[variant.name] = tuple(found)
        if known is None:
            for setting in found:
                if setting.became != "confirmed":
                    self._say(f"{variant.name}: {setting.words()}")

    def _load_back(self, loader: ModelLoader) -> bool:
        self._say("Putting the server back to its own configuration. If this is interrupted: sparktui sweep --restore")
        failed: SparkError | None = None
        loader.about = PUTTING_BACK
        for wait_s in _BACK_WAITS_S:
            Cancel().wait(wait_s)
            try:
                loader.load(self.original, Cancel())
            except SparkError as error:
                failed = error
                continue
            return self._is_back(loader)
        self._say(f"The server could NOT be put back: {failed}")
        self._load_anything(loader)
        body = mask_secrets(json.dumps(self.original, ensure_ascii=False))
        self._say(f"It must load its own configuration again: sparktui sweep --restore, a restart, or POST /v1/model/load with {body}")
        return False

    def _load_anything(self, loader: ModelLoader) -> None:
        """The model without its draft, where it is the draft settings that cannot be loaded again."""
        if drops_draft(self.original):
            return
        try:
            loader.load(without_draft(self.original), Cancel())
        except SparkError:
            self._say("No model is loaded now.")
        else:
            self._say("The model is loaded again, but WITHOUT its draft.")

    def _lost_its_draft(self, body: dict[str, Any]) -> bool:
        """A load that kept the draft's mode, after which the server shows none."""
        mode = str((body.get("draft_model") or {}).get("draft_mode", "")).lower()
        before = self._draft_before
        return self._target.info.draft is None and before is not None and mode == before.lower()

    def _is_back(self, loader: ModelLoader) -> bool:
        self._at, self.changed = "", False
        found = settings_after(self.original, self._before, loader.card(), self._target.info.draft, self._draft_before)
        wrong = [setting for setting in found if setting.became != "confirmed" and setting.says is not None]
        for setting in wrong:
            self._say(f"The server is back, but not in every point: {setting.words()}.")
        if wrong:
            self._say("A restart of the server brings its own configuration back.")
        else:
            self._say("The server is back in its own configuration.")
        self.changed = bool(wrong)
        return not wrong

    def _command_back(self, command: tuple[str, ...]) -> bool:
        self._tell(f"{PUTTING_BACK}: its command")
        self._say(f"Putting the server back: {mask_secrets(shlex.join(command))}")
        try:
            run_command(command, within_s=_BACK_WITHIN_S, stop=Cancel())
            wait_ready(self._target, self._server, self._emitter, Cancel(), within_s=_BACK_WITHIN_S)
        except SparkError as error:
            self._say(f"The server could NOT be put back: {error}")
            self._say(f"Run this by hand: {mask_secrets(shlex.join(command))}")
            return False
        self._at, self.changed = "", False
        return True

    def _tell(self, cause: str) -> None:
        self._emitter.emit(Server(state="loading", info=self._target.info, cause=cause))

    def _make_loader(self) -> ModelLoader:
        if self._target.info.kind not in _LOADS:
            raise UsageError(
                f"Only TabbyAPI loads models over its API; this server is {self._target.info.kind}.",
                hint="Give the variants a `command` or a `manual` instead of `load`.",
            )
        key = self._server.admin_key
        if not key and self._target.demo is None and self._server.api_key:
            raise UsageError("Loading models needs the admin key.", hint="Set server.admin_key (SPARKTUI_ADMIN_KEY).")
        settings = msgspec.structs.replace(self._server, api_key=None if self._target.demo is not None else key)
        return ModelLoader(self._target, client_for(settings, self._target.client.base), self._emitter)


def restore(target: Target, server: ServerConfig, original: dict[str, Any], emitter: Emitter, say: Callable[[str], object]) -> bool:
    """Load the configuration that an earlier sweep found; True where the server has it again. Raises UsageError."""
    from sparktui.core.plans import PromptSpec

    plan = SweepPlan(prompt=PromptSpec(name="", text=""), variants=(VariantConfig(name="restore", load={}),))
    switch = ServerSwitch(target, server, plan, emitter, pause=None, say=say, original=original)
    try:
        switch.prepare()
        switch.resume_from_changed()
        return switch.back()
    finally:
        switch.close()
