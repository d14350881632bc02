"""A page in headless Chromium, over its debugging pipe: JSON messages, each ended by a NUL byte."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe")  # fmt: skip
COMPLAINTS = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


@dataclass
class Page:
    """One tab. `complaints` is everything that came to the console, `requests` every address asked for."""

    _into: int
    _outof: int
    _session: str = ""
    _count: int = 0
    _buffer: bytes = b""
    complaints: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _loaded: bool = False

    def open(self, file: Path, width: int = 1200, scheme: str = "light", media: str = "screen") -> None:
        """Load a file at a width, and wait until it is drawn."""
        self.complaints.clear()
        self.requests.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                  mobile=width < 600)  # fmt: skip
        scheme_feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme_feature])
        self._loaded = False
        self.call("Page.navigate", url=file.absolute().as_uri())
        while not self._loaded:
            self._take(self._read())
        self.ask("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """A key, down and up."""
        code = {"Tab": 9, "Enter": 13}[key]
        typed = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **typed)

    def picture(self) -> bytes:
        """The whole page as PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._take(answer)

    def attach(self) -> None:
        """Open the tab and listen to it."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _take(self, event: dict[str, Any]) -> None:
        if event["method"] in COMPLAINTS:
            self.complaints.append(event["params"])
        elif event["method"] == "Network.requestWillBeSent":
            self.requests.append(event["params"]["request"]["url"])
        elif event["method"] == "Page.loadEventFired":
            self._loaded = True

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._outof, 1 << 20)
            if not data:
                raise EOFError("chromium ended")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


def _pipe() -> tuple[int, int]:
    """Both ends of a pipe, out of the way of the numbers that the browser wants."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A fresh browser with its profile in an empty folder."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "the tests of the report need a browser: apt-get install chromium"
    commands, to_page = _pipe()
    from_page, answers = _pipe()
    command = [found, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(  # the browser reads from 3 and writes to 4
        ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", *command],
        pass_fds=(commands, answers),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(answers)
    try:
        page = Page(to_page, from_page)
        page.attach()
        yield page
    finally:
        process.terminate()
        process.wait(10)
        os.close(to_page)
        os.close(from_page)
