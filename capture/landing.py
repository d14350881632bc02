"""An exported profile and its manifest get their place below plugins/profile."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import folders, manifest, trace


def exported(staging: Path) -> dict[str, Path]:
    """What JAX wrote, by suffix, the profile first. Its trace.json.gz is left out: it repeats a part of that.

    Raises:
        FileNotFoundError: JAX wrote no profile.
    """
    folder = staging / folders.PROFILES / trace.SESSION
    found = {folders.PROFILE_SUFFIX: next(iter(sorted(folder.glob(f"*{folders.PROFILE_SUFFIX}"))), None)}
    perfetto = folder / "perfetto_trace.json.gz"
    found["." + perfetto.name] = perfetto if perfetto.exists() else None
    if found[folders.PROFILE_SUFFIX] is None:
        raise FileNotFoundError("JAX exported nothing")
    return {suffix: path for suffix, path in found.items() if path is not None}


def land(
    directory: Path, token: str, names: Iterator[str], files: dict[str, Path], document: dict[str, Any]
) -> tuple[Path, str]:
    """Move files, by suffix, and the manifest `document` into the first free session of `names`.

    Fills in the document's session and profile. Returns the session's folder and the stem that the files got.
    """
    root = directory / folders.PROFILES
    root.mkdir(parents=True, exist_ok=True)
    session = folders.claim_session(names, token, folders.local_owner(root, token))
    document["session"] = session
    if folders.PROFILE_SUFFIX in files:
        document["profile"] = manifest.file_facts(files[folders.PROFILE_SUFFIX])
    staging = folders.staging(directory)
    try:
        draft = staging / "manifest.json"
        draft.write_text(manifest.text(document), encoding="utf-8")
        moved = {**files, folders.MANIFEST_SUFFIX: draft}
        index = document["process"]["index"]
        stem = folders.publish(moved, root / session, document["host"]["name"], index)
    finally:
        folders.discard(staging)
    return root / session, stem
