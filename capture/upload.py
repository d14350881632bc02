"""Windows on their way to a bucket: one background thread, retries, checksums, and the manifest last."""

import base64
import glob
import hashlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from . import endings, folders, manifest
from .config import UploadConfig
from .log import describe, say, warn

PENDING, DONE, FAILED = "pending", "uploaded", "upload_failed"
ATTEMPTS, FIRST_DELAY = 5, 1.0
_BLOCK = 1 << 22


@dataclass
class _Window:
    folder: Path
    stem: str
    manifest: dict[str, Any]


def destination(config: UploadConfig, run_id: str) -> str | None:
    """Root of a run's uploaded profiles; None where nothing is uploaded."""
    if not config.enabled or not config.prefix:
        return None
    return f"{config.prefix.rstrip('/')}/tmp/ttl={config.ttl_days}d/xprof/{folders.safe_name(run_id)}"


def viewer_url(service_url: str, root: str) -> str:
    """The link that opens an uploaded run."""
    return f"{service_url.rstrip('/')}/open?{urlencode({'uri': root})}"


class Uploader:
    """Uploads windows one after the other. What fails is logged and stands in the local manifest."""

    def __init__(self, config: UploadConfig, root: str, token: str, *, tells_link: bool) -> None:
        self._config, self._root, self._token, self._tells_link = config, root, token, tells_link
        self._queue: queue.Queue[_Window | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._deadline = float("inf")
        self.errors: list[Exception] = []

    def submit(self, folder: Path, stem: str, document: dict[str, Any]) -> None:
        """Upload the files STEM.* of a session folder; returns at once."""
        document["upload"] = {"status": PENDING, "root": self._root, "retries": 0, "error": None}
        manifest.write(document, folder, stem)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="profdb-upload", daemon=True)
            self._thread.start()
            endings.before_exit(self.close)  # a loop may end without closing its profiler
        self._queue.put(_Window(folder, stem, document))

    def close(self, most_seconds: float | None = None) -> None:
        """Wait for what is under way, at most so long (else `timeout_seconds`); the local copies stay."""
        if self._thread is None or self._closing.is_set():
            return
        seconds = min(self._config.timeout_seconds, most_seconds or self._config.timeout_seconds)
        self._deadline = time.monotonic() + seconds
        self._closing.set()
        self._queue.put(None)
        self._thread.join(seconds)
        if self._thread.is_alive():
            error = TimeoutError(f"not uploaded within {seconds:g} s: {self._root}")
            self.errors.append(error)
            warn("the profile is kept on this machine only", error)

    def _work(self) -> None:
        while (window := self._queue.get()) is not None:
            try:
                self._upload(window)
            except Exception as error:
                self.errors.append(error)
                window.manifest["upload"] |= {"status": FAILED, "error": describe(error)}
                warn(f"the profile stays in {window.folder}; it could not be uploaded to {self._root}", error)
            self._note(window)

    def _note(self, window: _Window) -> None:
        try:
            manifest.write(window.manifest, window.folder, window.stem)
        except OSError as error:
            warn(f"the manifest in {window.folder} could not be updated", error)

    def _upload(self, window: _Window) -> None:
        import fsspec

        state = window.manifest["upload"]
        fs, path = fsspec.url_to_fs(self._root, skip_instance_cache=True, use_listings_cache=False)
        root = f"{path}/{folders.PROFILES.as_posix()}"
        owner = _owner(fs, root, self._token)
        session = self._retry(  # each time from the first name
            state, lambda: folders.claim_session(_names(window.manifest), self._token, owner)
        )
        target = f"{root}/{session}"
        stem = self._retry(state, lambda: _free_stem(fs, target, window))
        files = sorted(window.folder.glob(f"{glob.escape(window.stem)}.*"))
        for file in files:
            suffix = file.name.removeprefix(window.stem)
            if suffix != folders.MANIFEST_SUFFIX:
                self._retry(state, lambda f=file, s=suffix: put(fs, f, f"{target}/{stem}{s}"))  # type: ignore[misc]
        uri = f"{self._root}/{folders.PROFILES.as_posix()}/{session}"
        state |= {"status": DONE, "uri": f"{uri}/{stem}"}
        last = manifest.text(window.manifest | {"session": session}).encode()
        try:
            self._retry(state, lambda: fs.pipe_file(f"{target}/{stem}{folders.MANIFEST_SUFFIX}", last))
        except Exception:
            state["status"] = PENDING
            raise
        self._tell(uri)

    def _tell(self, uri: str) -> None:
        if self._config.service_url and self._tells_link:
            say(f"XProf profile: {viewer_url(self._config.service_url, self._root)}")
        else:
            say(f"profile uploaded: {uri}")

    def _retry(self, state: dict[str, Any], act: Callable[[], Any]) -> Any:
        """What `act` returns; after an error again, each time after twice the wait."""
        delay = FIRST_DELAY
        for left in range(ATTEMPTS - 1, -1, -1):
            try:
                return act()
            except Exception as error:
                if left == 0 or time.monotonic() + delay > self._deadline:
                    raise
                state["retries"] += 1
                warn(f"uploading again in {delay:g} s", error)
            self._closing.wait(delay) if not self._closing.is_set() else time.sleep(delay)
            delay *= 2


def put(fs: Any, file: Path, target: str) -> None:
    """Upload a file and compare what arrived. Raises OSError where it is not the same."""
    if _is_local(fs):
        Path(target).parent.mkdir(parents=True, exist_ok=True)
    fs.put_file(str(file), target)
    fs.invalidate_cache()
    info = fs.info(target)
    if info["size"] != file.stat().st_size:
        raise OSError(f"{target} has {info['size']} bytes instead of {file.stat().st_size}")
    told = info.get("md5Hash") or str(info.get("ETag", "")).strip('"')
    if info.get("md5Hash"):
        same = base64.b64decode(told) == _digest(file, "md5").digest()
    elif len(told) == 32 and "-" not in told:
        same = told == _digest(file, "md5").hexdigest()
    else:  # an object in several parts, or a store that tells no checksum: read it back
        same = _remote_digest(fs, target) == _digest(file, "sha256").hexdigest()
    if not same:
        raise OSError(f"{target} differs from {file}")


def _digest(file: Path, kind: str) -> Any:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.new(kind, usedforsecurity=False))


def _remote_digest(fs: Any, target: str) -> str:
    digest = hashlib.sha256()
    with fs.open(target, "rb", block_size=_BLOCK) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _names(document: dict[str, Any]) -> Iterator[str]:
    first, end = document["window"]["first_step"], document["window"]["end_step"]
    return folders.timed_names(document["started_at"]) if first is None else folders.session_names(first, end)


def _owner(fs: Any, root: str, token: str) -> Callable[[str], str]:
    """Claims folders with an object that is created exclusively."""
    if _is_local(fs):
        return folders.local_owner(Path(root), token)

    def owner(name: str) -> str:
        path = f"{root}/{name}/{folders.CLAIM}"
        try:
            fs.pipe_file(path, token.encode(), mode="create")
            return token
        except Exception:
            # Stores word a lost race differently, and an error may come after the object was made.
            if not fs.exists(path):
                raise
            return str(fs.cat_file(path).decode())

    return owner


def _free_stem(fs: Any, target: str, window: _Window) -> str:
    """A stem that no other process of this name has; its own, half uploaded before, is found again."""
    index = window.manifest["process"]["index"]
    mine = f"{index} {window.folder.name} {window.stem}"
    owner = _owner(fs, target, mine)
    stems = folders.stems(window.manifest["host"]["name"], index)
    return next(stem for stem in stems if owner(f".{stem}") == mine)


def _is_local(fs: Any) -> bool:
    return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)
