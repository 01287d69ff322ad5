"""Long calls are made in one thread beside the main one, which so stays open to Ctrl-C."""

from __future__ import annotations

import os
import queue
import threading
from typing import Any, Callable, TypeVar

T = TypeVar("T")


class _Job:
    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.call()
        except BaseException as error:  # handed to the thread that waits
            self.error = error
        self.done.set()


class _Worker:
    """A thread that takes jobs. One that is left in the middle of a job ends after it."""

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self.process = os.getpid()
        threading.Thread(target=self._work, daemon=True, name="zwang").start()

    def _work(self) -> None:
        while True:
            job = self.jobs.get()
            if job is None:
                return
            job.run()


_worker: _Worker | None = None


def call(
    function: Callable[[], T],
    *,
    every: float | None = None,
    look: Callable[[], None] = lambda: None,
    interrupt: Callable[[], float] = lambda: 0.0,
    leave: Callable[[], None] = lambda: None,
) -> T:
    """``function()``, from the main thread in the worker.

    ``look`` is called every ``every`` seconds meanwhile. What interrupts it, Ctrl-C or an error of
    ``look``, is raised; before, ``interrupt`` may ask the call to end and returns for how many
    seconds it is waited for, and where it goes on nevertheless ``leave`` is called.
    """
    global _worker
    if threading.current_thread() is not threading.main_thread():
        return function()
    if _worker is None or _worker.process != os.getpid():
        _worker = _Worker()
    job = _Job(function)
    try:
        _worker.jobs.put(job)
        while not job.done.wait(every):
            look()
    except BaseException:
        ended = False
        try:
            ended = job.done.wait(interrupt())
        finally:  # also where Ctrl-C is pressed again
            if not ended:
                _worker.jobs.put(None)
                _worker = None
                leave()
        raise
    if job.error is not None:
        raise job.error
    return job.result  # type: ignore[no-any-return]
