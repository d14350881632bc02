"""The capture manifests beside profiles, HOST.manifest.json: what the run's row takes from them.

Their form is `capture/manifest.schema.json`. Only documents of a known version are read; a damaged one is a
fact about quality, never a reason to refuse its profile.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .sources import MANIFEST_SUFFIX, SUFFIX

FORMAT, VERSION = "profdb.capture", 1
_COST = ("start_seconds", "wait_seconds", "export_seconds", "overhead_ratio")


@dataclass
class Capture:
    """The manifests of one run, together. `unreadable` are those that tell nothing, with the reason."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)

    def first(self, *names: str) -> Any:
        """The first value that a document has at that path; None where none has it."""
        return next(iter(self._values(*names)), None)

    @property
    def tags(self) -> dict[str, str]:
        """The user's keys and values."""
        return {name: value for document in self.documents for name, value in document["tags"].items()}

    @property
    def expected_processes(self) -> int | None:
        """Processes that were to be profiled."""
        return 1 if self._is_of_one_process() else self._most("process", "count")

    @property
    def expected_hosts(self) -> int | None:
        """Hosts that were to be profiled; None where not every process told its host."""
        if self.expected_processes == 1:
            return 1
        hosts: dict[str, str] = {}
        for known in self._values("process", "hosts"):
            hosts |= known
        return len(set(hosts.values())) if len(hosts) == self.expected_processes else None

    @property
    def expected_devices(self) -> int | None:
        """Devices that were to be profiled."""
        return self._most("devices", "local_count" if self._is_of_one_process() else "count")

    def facts(self) -> dict[str, str]:
        """The entries of `runs.facts`; their keys are listed in docs/capture.md."""
        found: dict[str, Any] = {}
        for document in reversed(self.documents):  # the first process has the last word
            found |= {f"flag.{name}": value for name, value in document["flags"].items()}
            found |= {f"version.{name}": value for name, value in document["versions"].items()}
            found |= {f"capture.{name}": value for name, value in document["options"].items()}
            found |= {
                f"capture.{name}": document["window"][name] for name in ("why", "first_step", "end_step")
            }
        cores = self._values("host", "cpu_count")
        found |= {
            "host_cpu_count": min(cores) if cores else None,
            "capture.outcome": _outcomes(self.documents) if self.documents else None,
            "capture.attempt": self.first("attempt"),
            "job.process_count": self._most("process", "count"),
            "job.device_count": self._most("devices", "count"),
        }
        found |= {f"capture.{name}": max(self._values("cost", name), default=None) for name in _COST}
        return {name: _text(value) for name, value in found.items() if value is not None}

    def _is_of_one_process(self) -> bool:
        return self.first("options", "process_index") is not None

    def _most(self, *names: str) -> int | None:
        return max(self._values(*names), default=None)

    def _values(self, *names: str) -> list[Any]:
        found = []
        for document in self.documents:
            value: Any = document
            for name in names:
                value = value.get(name) if isinstance(value, dict) else None
            if value is not None:
                found.append(value)
        return found


def read_capture(profiles: Iterable[Path]) -> Capture:
    """The manifests of these profiles, and of processes of the same session that left no profile."""
    paths = {path.with_name(path.name.removesuffix(SUFFIX) + MANIFEST_SUFFIX) for path in profiles}
    for folder in {path.parent for path in paths}:
        beside = {found for found in folder.glob(f"*{MANIFEST_SUFFIX}") if not profile_of(found).exists()}
        paths |= beside
    capture = Capture()
    for path in sorted(paths):
        if path.exists():
            _read(path, capture)
    capture.documents.sort(key=lambda document: int(document["process"]["index"]))
    return capture


def profile_of(manifest: Path) -> Path:
    """The profile that a manifest speaks of."""
    return manifest.with_name(manifest.name.removesuffix(MANIFEST_SUFFIX) + SUFFIX)


def _read(path: Path, capture: Capture) -> None:
    try:
        document = json.loads(path.read_bytes())
        if (document["format"], document["version"]) != (FORMAT, VERSION):
            raise ValueError(f"{document['format']} of version {document['version']} is not known here")
        _check(document)
    except (OSError, ValueError, KeyError, TypeError) as error:
        capture.unreadable.append((path, f"{type(error).__name__}: {error}"))
        return
    capture.documents.append(document)


def _check(document: dict[str, Any]) -> None:
    """Raise where what is read here has another form."""
    for name in ("flags", "versions", "tags"):
        if not all(isinstance(value, str) for value in document[name].values()):
            raise ValueError(f"{name} is no mapping of texts")
    for name, numbers in (("process", ("index", "count")), ("host", ("cpu_count",)), ("devices", ("count",))):
        for number in numbers:
            value = (document[name] or {}).get(number)
            if value is not None and not isinstance(value, int):
                raise ValueError(f"{name}.{number} is no whole number")
    for name in ("options", "window", "cost"):
        document[name].keys()
    document["process"]["hosts"].keys()


def _outcomes(documents: list[dict[str, Any]]) -> str:
    """`ok`, or the usual outcome and which processes had another: `ok; process 2: export_failed`."""
    usual = Counter(document["outcome"] for document in documents).most_common(1)[0][0]
    others = [
        f"process {document['process']['index']}: {document['outcome']}"
        for document in documents
        if document["outcome"] != usual
    ]
    return "; ".join([usual, *others])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
