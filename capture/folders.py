"""Where a window lands: names that are never used twice, and files that are there whole or not at all."""

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROFILES = Path("plugins", "profile")
CLAIM = ".attempt"
MANIFEST_SUFFIX = ".manifest.json"
PROFILE_SUFFIX = ".xplane.pb"
_REMOTE = re.compile(r"(?!file:)[a-zA-Z][a-zA-Z0-9+.-]+:/")


def is_remote(path: str) -> bool:
    """Whether a path names a bucket: `s3://b/p`, and what pathlib makes of it, `s3:/b/p`."""
    return _REMOTE.match(path) is not None


def safe_name(text: str) -> str:
    """A run id as the name of one folder; letters of any language stay."""
    name = re.sub(r"[/\\\x00-\x1f]+", "_", text).strip()
    return "_" if name in ("", ".", "..") else name


def check(directory: Path) -> None:
    """Raise OSError where a profile could not be written: JAX finds that out too late."""
    directory.mkdir(parents=True, exist_ok=True)
    probe = directory / f".profdb-{secrets.token_hex(8)}"
    try:
        probe.write_bytes(bytes(4096))
    finally:
        probe.unlink(missing_ok=True)


def staging(directory: Path) -> Path:
    """A new hidden folder on the same disk, for one export."""
    folder = directory / f".exporting-{secrets.token_hex(8)}"
    folder.mkdir(parents=True)
    return folder


def size_of(folder: Path) -> int:
    """Bytes in the files of a folder, as far as they are there now."""
    return sum(_size(path) for path in folder.rglob("*"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def session_names(start: int, end: int) -> Iterator[str]:
    """steps-A-to-B, steps-A-to-B-2, ...: steps A to B - 1, as Levanter names them."""
    base = f"steps-{start}-to-{end}"
    yield base
    for number in range(2, 10_000):
        yield f"{base}-{number}"


def timed_names(at: str) -> Iterator[str]:
    """Names as JAX itself gives them, 2026_11_30_04_47_36, for a window of time; `at` is ISO 8601."""
    base = re.sub(r"[-:T]", "_", at[:19])
    yield base
    for number in range(2, 10_000):
        yield f"{base}-{number}"


def claim_session(names: Iterator[str], token: str, owner: Callable[[str], str]) -> str:
    """The first name that is free or belongs to this attempt. `owner` claims a name and tells whose it is."""
    return next(name for name in names if owner(name) == token)


def local_owner(root: Path, token: str) -> Callable[[str], str]:
    """Claims folders below `root` for an attempt, with a file that is created exclusively."""

    def owner(name: str) -> str:
        folder = root / name
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if any(folder.iterdir()) and not (folder / CLAIM).exists():  # in this order: claims come first
                return ""  # from somebody who claims nothing
        try:
            with open(folder / CLAIM, "x", encoding="utf-8") as file:
                file.write(token)
            return token
        except FileExistsError:
            return _read_claim(folder / CLAIM)

    return owner


def _read_claim(path: Path) -> str:
    for _ in range(20):  # the other process may be about to write it
        if text := path.read_text(encoding="utf-8"):
            return text
        time.sleep(0.05)
    return ""


def stems(host: str, process_index: int) -> Iterator[str]:
    """Names for the files of a process: the host's, and with the process where the host has several."""
    yield host
    base = f"{host}-p{process_index}"
    yield base
    for number in range(2, 10_000):
        yield f"{base}-{number}"


def publish(files: dict[str, Path], folder: Path, host: str, process_index: int) -> str:
    """Move files, by suffix, into `folder` under one stem that nobody has, and return the stem."""
    first, *others = files
    for stem in stems(host, process_index):
        if any((folder / (stem + suffix)).exists() for suffix in (PROFILE_SUFFIX, MANIFEST_SUFFIX)):
            continue
        try:
            _move(files[first], folder / (stem + first))
        except FileExistsError:
            continue
        for suffix in others:
            _move(files[suffix], folder / (stem + suffix))
        return stem
    raise FileExistsError(f"{folder} is full")


def _move(source: Path, target: Path) -> None:
    """Rename, but never over a file."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise FileExistsError(target) from None
        os.replace(source, target)
    else:
        source.unlink()


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def discard(folder: Path) -> None:
    """Remove a staging folder, as far as possible."""
    shutil.rmtree(folder, ignore_errors=True)
