"""Uploads to real object stores on loopback: C22, and what Levanter's layout and links look like."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from loops import manifests, train
from stores import BUCKET, Network, denying, gcs_server, s3_server, serving, silent

from profdb.capture import ProfileOptionsConfig, ProfilerConfig, UploadConfig, upload

HOST = os.uname().nodename
ROOT = f"{BUCKET}/tmp/ttl=7d/xprof/my run/plugins/profile"
VARIABLES = {"gs": "STORAGE_EMULATOR_HOST", "s3": "AWS_ENDPOINT_URL"}

Point = Callable[[str], None]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    with gcs_server() as gcs, s3_server() as s3:
        yield {"gs": gcs, "s3": s3}


@pytest.fixture(params=["gs", "s3"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def point(scheme: str, monkeypatch: pytest.MonkeyPatch) -> Point:
    """Sends the store's clients to a URL."""
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr(upload, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(upload, "ATTEMPTS", 3)
    return lambda url: monkeypatch.setenv(VARIABLES[scheme], url)


@pytest.fixture
def store(scheme: str, servers: dict[str, str], point: Point) -> Any:
    """The store's file system, with an empty bucket."""
    point(servers[scheme])
    fs, _ = fsspec.url_to_fs(f"{scheme}://{BUCKET}", skip_instance_cache=True, use_listings_cache=False)
    if fs.exists(BUCKET):
        fs.rm(BUCKET, recursive=True)
    if not fs.exists(BUCKET):
        fs.mkdir(BUCKET)
    return fs


def capture(scheme: str, directory: Path, **options: Any) -> None:
    """Profile two steps of a loop, with every Python call, so that the profile has some 10 kB."""
    config = ProfilerConfig(
        enabled=True,
        start_step=1,
        num_steps=2,
        directory=str(directory),
        profile_options=ProfileOptionsConfig(python_tracer_level=1),
        upload=UploadConfig(
            **{
                "prefix": f"{scheme}://{BUCKET}",
                "ttl_days": 7,
                "service_url": "https://xprof.example/",
                **options,
            }
        ),
    )
    train(config.build(run_id="my run"), 0, 4)


def _said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "profdb.capture"]


def objects(store: Any) -> dict[str, bytes]:
    """What is in the bucket, by name below the root of the run's profiles; claims aside."""
    names = [name for name in store.find(BUCKET) if "/." not in name]
    return {name.removeprefix(f"{ROOT}/"): store.cat_file(name) for name in names}


def test_a_window_is_uploaded_and_its_link_is_said(
    scheme: str, store: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "profdb.capture")
    capture(scheme, tmp_path)
    (profile,) = tmp_path.rglob("*.xplane.pb")
    (local,) = manifests(tmp_path)
    found = objects(store)
    assert sorted(found) == [f"steps-1-to-3/{HOST}.manifest.json", f"steps-1-to-3/{HOST}.xplane.pb"]
    assert found[f"steps-1-to-3/{HOST}.xplane.pb"] == profile.read_bytes()
    assert json.loads(found[f"steps-1-to-3/{HOST}.manifest.json"]) == local
    assert local["upload"] == {
        "status": "uploaded",
        "root": f"{scheme}://{BUCKET}/tmp/ttl=7d/xprof/my run",
        "uri": f"{scheme}://{ROOT}/steps-1-to-3/{HOST}",
        "retries": 0,
        "error": None,
    }
    link = f"https://xprof.example/open?uri={scheme}%3A%2F%2F{BUCKET}%2Ftmp%2Fttl%3D7d%2Fxprof%2Fmy+run"
    assert _said(caplog)[-1] == f"XProf profile: {link}"


def test_a_resume_on_another_disk_uses_no_name_twice(scheme: str, store: Any, tmp_path: Path) -> None:
    for disk in ("a", "b", "c"):
        capture(scheme, tmp_path / disk)
    names = {name.partition("/")[0] for name in objects(store)}
    assert names == {"steps-1-to-3", "steps-1-to-3-2", "steps-1-to-3-3"}
    (last,) = manifests(tmp_path / "c")
    assert last["session"] == "steps-1-to-3"
    assert last["upload"]["uri"].endswith(f"/steps-1-to-3-3/{HOST}")


def test_a_network_that_drops_half_way(
    scheme: str, store: Any, servers: dict[str, str], point: Point, tmp_path: Path
) -> None:
    with serving(Network(servers[scheme], limit=5_000, drops=2)) as url:
        point(url)
        capture(scheme, tmp_path)
    point(servers[scheme])
    (profile,) = tmp_path.rglob("*.xplane.pb")
    assert profile.stat().st_size > 10_000
    assert objects(store)[f"steps-1-to-3/{HOST}.xplane.pb"] == profile.read_bytes()
    assert manifests(tmp_path)[0]["upload"]["status"] == "uploaded"


@pytest.mark.parametrize("scheme", ["s3"], indirect=True)
def test_a_claim_that_is_tried_again_keeps_its_name(
    scheme: str, store: Any, servers: dict[str, str], point: Point, tmp_path: Path
) -> None:
    with serving(Network(servers[scheme], limit=0, drops=10)) as url:  # twice for each of five tries by s3fs
        point(url)
        capture(scheme, tmp_path)
    point(servers[scheme])
    assert sorted(objects(store)) == [f"steps-1-to-3/{HOST}.manifest.json", f"steps-1-to-3/{HOST}.xplane.pb"]
    assert manifests(tmp_path)[0]["upload"]["retries"] >= 1


_UNCLOSED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from loops import train_step
from profdb.capture import ProfilerConfig, UploadConfig

config = ProfilerConfig(
    enabled=True, start_step=1, num_steps=2, directory=sys.argv[1], upload=UploadConfig(prefix=sys.argv[2])
)
profiler = config.build(run_id="r")
for number in range(int(sys.argv[3])):
    train_step()
    profiler(number)
{then}
"""


def _unclosed(then: str, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """A loop of steps that calls the profiler back and never closes it."""
    program = _UNCLOSED.format(tests=str(Path(__file__).parents[1]), then=then)
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("steps", [5, 2])
def test_a_loop_that_never_closes_is_uploaded_to_a_store_that_is_found_by_name(
    scheme: str, store: Any, servers: dict[str, str], point: Point, tmp_path: Path, steps: int
) -> None:
    """Names are looked up in a thread pool, and pools refuse work when `atexit` runs."""
    point(servers[scheme].replace("127.0.0.1", "localhost"))
    done = _unclosed("", str(tmp_path), f"{scheme}://{BUCKET}", str(steps))
    assert done.returncode == 0, done.stderr.decode()
    assert manifests(tmp_path)[0]["upload"]["status"] == "uploaded", done.stderr.decode()


def test_a_loop_that_never_closes_its_profiler_is_uploaded_before_the_program_ends(tmp_path: Path) -> None:
    done = _unclosed("", str(tmp_path / "local"), f"file://{tmp_path / 'bucket'}", "5")
    assert done.returncode == 0, done.stderr.decode()
    assert manifests(tmp_path / "local")[0]["upload"]["status"] == "uploaded"
    assert manifests(tmp_path / "bucket")[0]["session"] == "steps-1-to-3"


@pytest.mark.parametrize("scheme", ["s3"], indirect=True)
def test_sigterm_does_not_wait_for_a_store_that_never_answers(
    scheme: str, point: Point, tmp_path: Path
) -> None:
    """Ten seconds, not the ten minutes that the end of a run may take: the machine is about to go."""
    with serving(silent()) as url:
        point(url)
        then = "os.kill(os.getpid(), signal.SIGTERM)"
        done = _unclosed(then, str(tmp_path), f"{scheme}://{BUCKET}", "2")
    assert done.returncode == -signal.SIGTERM, done.stderr.decode()
    (found,) = manifests(tmp_path)
    assert (found["outcome"], found["reason"], found["upload"]["status"]) == ("partial", "SIGTERM", "pending")


@pytest.mark.parametrize("scheme", ["s3"], indirect=True)
def test_the_manifest_comes_after_all_files(
    scheme: str, store: Any, servers: dict[str, str], point: Point, tmp_path: Path, caplog: Any
) -> None:
    with serving(Network(servers[scheme], limit=5_000, drops=1_000)) as url:
        point(url)
        capture(scheme, tmp_path)
    point(servers[scheme])
    assert objects(store) == {}
    (local,) = manifests(tmp_path)
    assert (local["outcome"], local["upload"]["status"]) == ("ok", "upload_failed")
    assert len(list(tmp_path.rglob("*.xplane.pb"))) == 1
    assert "could not be uploaded" in _said(caplog)[-1]


@pytest.mark.parametrize("strict", [False, True])
def test_a_bucket_that_denies(scheme: str, point: Point, tmp_path: Path, strict: bool) -> None:
    with serving(denying()) as url:
        point(url)
        upload_config = UploadConfig(prefix=f"{scheme}://{BUCKET}")
        config = ProfilerConfig(
            enabled=True,
            start_step=1,
            num_steps=2,
            directory=str(tmp_path),
            upload=upload_config,
            strict=strict,
        )
        if strict:
            with pytest.raises(OSError, match="orbidden"):
                train(config.build(run_id="my run"), 0, 4)
        else:
            train(config.build(run_id="my run"), 0, 4)
    (local,) = manifests(tmp_path)
    assert (local["outcome"], local["upload"]["status"]) == ("ok", "upload_failed")
    assert "orbidden" in local["upload"]["error"]


@pytest.mark.parametrize("scheme", ["s3"], indirect=True)
def test_the_end_of_the_run_waits_only_so_long(scheme: str, point: Point, tmp_path: Path) -> None:
    with serving(silent()) as url:
        point(url)
        began = time.monotonic()
        capture(scheme, tmp_path, timeout_seconds=1)
        assert time.monotonic() - began < 4
        assert manifests(tmp_path)[0]["upload"]["status"] == "pending"
    for thread in threading.enumerate():
        if thread.name == "profdb-upload":
            thread.join(20)
    assert manifests(tmp_path)[0]["upload"]["status"] == "upload_failed"


@pytest.mark.parametrize("scheme", ["s3"], indirect=True)
def test_a_bucket_as_directory_is_where_it_is_uploaded(
    scheme: str, store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = ProfilerConfig(
        enabled=True,
        start_step=1,
        num_steps=2,
        directory=f"{scheme}:/{BUCKET}",
        upload=UploadConfig(ttl_days=7),
    )
    train(config.build(run_id="my run"), 0, 4)
    assert len(objects(store)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["profiles"]


def test_a_mounted_bucket_is_a_prefix_too(tmp_path: Path) -> None:
    for disk in ("a", "b"):
        config = ProfilerConfig(
            enabled=True,
            start_step=1,
            num_steps=2,
            directory=str(tmp_path / disk),
            upload=UploadConfig(prefix=f"file://{tmp_path}/mnt"),
        )
        train(config.build(run_id="r"), 0, 4)
    found = sorted(
        str(path.relative_to(tmp_path / "mnt")) for path in (tmp_path / "mnt").rglob(f"{HOST}.*.pb")
    )
    root = "tmp/ttl=30d/xprof/r/plugins/profile"
    assert found == [f"{root}/steps-1-to-3-2/{HOST}.xplane.pb", f"{root}/steps-1-to-3/{HOST}.xplane.pb"]


def test_a_store_that_changes_bytes_is_noticed(tmp_path: Path) -> None:
    class Lossy(fsspec.get_filesystem_class("memory")):  # type: ignore[misc]
        def put_file(self, source: str, target: str, **_: Any) -> None:
            data = Path(source).read_bytes()
            self.pipe_file(target, data[:-1] + b"?")

    (tmp_path / "file").write_bytes(b"0123456789")
    with pytest.raises(OSError, match="/x/file differs from"):
        upload.put(Lossy(), tmp_path / "file", "/x/file")
