"""Windows that somebody asked for: all processes of a job open one at the same step."""

from . import processes
from .job import Job
from .log import warn
from .schedule import NEVER


class Requests:
    """`start`: the step at which the next one opens."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._seen: set[str] = set()
        self.start = NEVER

    def ask(self, name: str, step: int, lead: int) -> None:
        """Ask for a window at `step`, or so many steps later where other processes have to hear of it first.

        Processes that saw the same file ask under the same name: the first one's step counts. Where the
        others cannot be asked, this one profiles alone.
        """
        if self._job.process_count == 1:
            self.start = step
            return
        try:
            processes.propose(self._job.token, name, step + lead)
        except Exception as error:
            warn("the other processes cannot be asked: a window opens in this one alone", error)
            self.start = step

    def hear(self) -> None:
        """Take in what the processes of the job have asked for since the last call."""
        if self._job.process_count == 1:
            return
        new = {n: s for n, s in processes.proposals(self._job.token).items() if n not in self._seen}
        self._seen |= new.keys()
        self.start = min(self.start, *new.values()) if new else self.start

    def due(self, step: int, closed_at: int) -> int | None:
        """The step at which a window was to open, once it has come; inside another window none was."""
        if step < self.start:
            return None
        start, self.start = self.start, NEVER
        return start if start >= closed_at else None
