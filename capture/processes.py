"""What the processes of one job agree on, without a collective: who they are, and one token per profiler."""

import itertools
import secrets
from importlib import import_module
from typing import Any

from .log import logger
from .trace import jax

_built = itertools.count()
_TIMEOUT_MS = 10_000


def built() -> int:
    """The how-manieth profiler of this process; equal on all processes that run the same program."""
    return next(_built)


def process_index() -> int:
    """This process's number."""
    return int(jax().process_index())


def process_count() -> int:
    """How many processes the job has."""
    return int(jax().process_count())


def token(number: int) -> str:
    """A new text for this attempt at the run, the same on all its processes; `number` tells profilers apart.

    The first process to ask decides, through the key-value store of jax.distributed; nobody waits for others.
    Without that store each process has its own, and lands in a folder of its own.
    """
    mine = secrets.token_hex(8)
    client = _client()
    if client is None:
        return mine
    key = f"profdb/capture/{number}"
    try:
        client.key_value_set(key, mine)
        return mine
    except Exception:
        logger.debug("another process has named the attempt")
    try:
        return str(client.blocking_key_value_get(key, _TIMEOUT_MS))
    except Exception:
        logger.debug("the attempt has no common name", exc_info=True)
        return mine


def announce(attempt: str, host: str) -> None:
    """Tell the other processes of the attempt which host this one runs on."""
    client = _client()
    if client is not None:
        client.key_value_set(f"profdb/hosts/{attempt}/{process_index()}", host)


def hosts(attempt: str) -> dict[str, str]:
    """Host of each process that has announced itself so far, by process index; {} in a job of one process."""
    client = _client()
    found = [] if client is None else client.key_value_dir_get(f"profdb/hosts/{attempt}")
    return dict(
        sorted(((key.rpartition("/")[2], host) for key, host in found), key=lambda item: int(item[0]))
    )


def propose(attempt: str, name: str, step: int) -> None:
    """Ask all processes of the attempt for a window at a step; of several under one name the first counts.

    Raises what the store raises where the name is not in it afterwards.
    """
    try:
        _client().key_value_set(f"profdb/windows/{attempt}/{name}", str(step))
    except Exception:  # the store words it in its own way that the name is taken
        if name not in proposals(attempt):
            raise


def proposals(attempt: str) -> dict[str, int]:
    """What was asked for so far: the step, by name."""
    found = _client().key_value_dir_get(f"profdb/windows/{attempt}")
    return {key.rpartition("/")[2]: int(step) for key, step in found}


def wait_for_all(name: str, seconds: int) -> None:
    """A barrier of all processes that gives up after `seconds`. Raises RuntimeError then."""
    client = _client()
    if client is not None:
        client.wait_at_barrier(f"profdb/{name}", seconds * 1000)


def _client() -> Any:
    """The client of jax.distributed; None in a job of one process."""
    if process_count() == 1:
        return None
    return getattr(import_module("jax._src.distributed").global_state, "client", None)
