"""One completion from request to last byte: queue, prefill, every chunk at its time, figures, log."""

from __future__ import annotations

import asyncio

from sparktui.demo.call import Call, InvalidCallError, json_object, read_call
from sparktui.demo.http import Connection, Request
from sparktui.demo.log import metrics_line
from sparktui.demo.machine import BATCH_COST, Job, Machine
from sparktui.demo.outlets import Outlet, StreamOutlet, WholeOutlet
from sparktui.demo.plan import Plan, plan_answer
from sparktui.demo.refusals import Refusal, detail, refusal_of
from sparktui.demo.settings import MODEL, ModelSettings
from sparktui.demo.usage import Figures
from sparktui.demo.wire import Dialect

_CUDA = "RuntimeError: CUDA error: an illegal memory access was encountered (simulated)"
_TERMINATING = "Immediately terminating all jobs. Clients will have their requests cancelled.\n"
_AT_ONCE_S = 0.002


class _CutError(Exception):
    """The connection is to end here."""


class _GeneratorError(Exception):
    """The generator is to fail here."""


async def complete(machine: Machine, request: Request, connection: Connection) -> None:
    """Answer POST …/completions or …/chat/completions."""
    arrived = asyncio.get_running_loop().time()
    refusal: Refusal | None
    try:
        call = read_call(request.path, json_object(request.body), request.headers)
    except InvalidCallError as wrong:
        refusal = detail(422, wrong.detail)
    else:
        refusal = refusal_of(machine, call)
        if refusal is None and machine.settings is not None:
            await _Run(machine, connection, call, path=request.path, settings=machine.settings, arrived=arrived).go()
            return
    if refusal is not None:
        if refusal.logged:
            machine.log.error(f"Sent to request: {refusal.logged}")
        connection.reply(refusal.status, refusal.body, refusal.content_type)


class _Run:
    """One accepted request."""

    def __init__(
        self, machine: Machine, connection: Connection, call: Call, *, path: str, settings: ModelSettings, arrived: float
    ) -> None:
        self._machine = machine
        self._path = path
        self._connection = connection
        self._call = call
        self._settings = settings
        self._arrived = arrived
        self._id = machine.new_id()
        dialect = Dialect(self._id, MODEL, call.chat)
        ping_s = machine.options.ping_s / machine.speed
        self._outlet: Outlet = (
            StreamOutlet(connection, dialect, ping_s, buffered=call.faults.buffered) if call.stream else WholeOutlet(connection, dialect)
        )
        self._words = f"{'chat completion' if call.chat else 'completion'}{' streaming' if call.stream else ''} request {self._id}"

    async def go(self) -> None:
        """Run to the end, whatever that is. Raises CancelledError when the client has gone."""
        task = asyncio.current_task()
        assert task is not None
        job = Job(task, self._call.prompt_tokens)
        self._outlet.open()
        self._machine.log.info(f"Received {self._words}")
        self._machine.jobs.append(job)
        try:
            await self._take_turn(job)
        except asyncio.CancelledError:
            if self._connection.gone or not job.aborted:
                self._log_disconnect()
                raise
            task.uncancel()
            self._machine.log.error(f"Sent to request: {await self._outlet.abort()}")
        except _CutError:
            self._log_disconnect()
            self._connection.drop()
        except _GeneratorError:
            self._fail(job)
            self._machine.log.error(f"Sent to request: {await self._outlet.abort()}")
        finally:
            self._outlet.close()
            self._machine.jobs.remove(job)

    async def _take_turn(self, job: Job) -> None:
        slots, clock = self._machine.slots, asyncio.get_running_loop().time
        # not since its arrival: reading the text of a very long prompt takes time here that is no queue
        asked = clock()
        await slots.acquire()
        try:
            waited_s = clock() - asked
            job.running = True
            figures = await self._play(job, waited_s if waited_s > _AT_ONCE_S else 0.0)
        finally:
            job.running = False
            slots.release()
        self._machine.log_later(metrics_line(self._id, figures))

    async def _play(self, job: Job, queue_s: float) -> Figures:
        """Every deadline counts from the request's arrival (plus the queue), so that lateness never adds up."""
        machine, speed = self._machine, self._machine.speed
        plan = plan_answer(self._call, machine, self._settings)
        job.held_since = self._arrived + queue_s + plan.before_s / speed
        job.held_at = clock = job.held_since + plan.prefill_s / speed
        decoded_s, sent = 0.0, 0
        for after_s, said in plan.chunks():
            clock += (after_s - decoded_s) * self._second() + await self._misbehave(sent)
            decoded_s = after_s
            await _until(clock)
            await self._outlet.chunk(said)
            sent += 1
        clock += (plan.decode.decode_s - decoded_s) * self._second() + await self._misbehave(sent)
        await _until(clock)
        machine.cache.keep(self._call.prompt)
        figures = _figures(plan, queue_s, job.held_at - job.held_since, clock - job.held_at)
        await self._finish(plan, figures)
        return figures

    def _second(self) -> float:
        """How long a second of the simulated machine's decoding lasts now."""
        return (1 + BATCH_COST * (self._machine.running - 1)) / self._machine.speed

    async def _misbehave(self, sent: int) -> float:
        """Do what was asked for after chunk `sent`; returns the seconds of a pause to come."""
        faults = self._call.faults
        if faults.cut_after == sent:
            raise _CutError
        if faults.error_after == sent:
            raise _GeneratorError
        if faults.stall_after != sent:
            return 0.0
        self._outlet.quiet()
        if faults.stall_s is None:
            await asyncio.get_running_loop().create_future()
        return (faults.stall_s or 0.0) / self._machine.speed

    async def _finish(self, plan: Plan, figures: Figures) -> None:
        call, machine = self._call, self._machine
        usage = figures.usage(newer=machine.options.newer_usage or call.faults.newer_usage) if call.include_usage else None
        if call.stream:
            await self._outlet.finish(plan.whole(), plan.ending, usage)
        machine.log.info(f"Finished {self._words}")
        if not call.stream:
            await self._outlet.finish(plan.whole(), plan.ending, usage)

    def _log_disconnect(self) -> None:
        self._machine.log.error(f"Request disconnected: {self._path}")
        if not self._call.stream:
            self._machine.log.info(f"Finished {self._words}")

    def _fail(self, job: Job) -> None:
        """The generator fails: every running request goes with it."""
        log = self._machine.log
        self._machine.fail(_CUDA)
        log.error("FATAL ERROR with generation. Attempting to recreate the generator. If this fails, please restart the server.\n")
        log.warning(_TERMINATING)
        if self._call.stream:
            log.error(f"Error during chat completion \n{_CUDA.partition(': ')[2]}")
        log.error(f"Error Traceback (most recent call last):\n{_CUDA}\n")
        for other in self._machine.jobs:
            if other is not job:
                other.abort()


def _figures(plan: Plan, queue_s: float, prompt_s: float, completion_s: float) -> Figures:
    return Figures(
        prompt_tokens=plan.prompt_tokens,
        cached_tokens=plan.cached_tokens,
        completion_tokens=plan.decode.tokens,
        queue_s=queue_s,
        prompt_s=prompt_s,
        completion_s=completion_s,
        accepted=plan.decode.accepted,
        proposed=plan.decode.proposed,
        drafts=plan.drafts,
    )


async def _until(clock: float) -> None:
    wait_s = clock - asyncio.get_running_loop().time()
    await asyncio.sleep(max(0.0, wait_s))
