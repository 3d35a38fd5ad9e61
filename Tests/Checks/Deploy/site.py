"""A site of numbered pages that notes every request, for audits that are interrupted.

It is slow, and the slower the fewer pages are left, so that an audit does not end before it shall: SIGUSR1 ends that.
"""

import argparse
import http.server
import re
import signal
import socket
import threading

parser = argparse.ArgumentParser()
parser.add_argument("--address", required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--pages", type=int, required=True)
parser.add_argument("--log", required=True)
options = parser.parse_args()
noting = threading.Lock()
fast = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: fast.set())
log = open(options.log, "a", buffering=1)


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = 0

    def do_GET(self):
        number = re.fullmatch(r"/(?:p/(\d+))?", self.path)
        number = int(number[1] or 0) if number else options.pages
        with noting:
            print(self.path, file=log)
            left = options.pages - Page.requests
            Page.requests += 1
        fast.wait(0.2 if left > options.pages / 2 else 3)
        children = [child for child in (2 * number + 1, 2 * number + 2) if child < options.pages]
        links = "".join(f'<p><a href="/p/{child}">{child}</a></p>' for child in children)
        # Every hundredth page has a link that leads nowhere.
        links += f'<p><a href="/nothing/{number}">nothing</a></p>' if number % 100 == 7 else ""
        text = f'<!DOCTYPE html><html lang="en"><title>{number}</title><body><h1>Page {number}</h1>{links}</body></html>'.encode()
        self.send_response(200 if number < options.pages else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(text)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def server_bind(self):
        # The address comes with the first container.
        self.socket.setsockopt(socket.IPPROTO_IP, getattr(socket, "IP_FREEBIND", 15), 1)
        super().server_bind()

    def handle_error(self, *_):
        pass  # who asked was killed


Server((options.address, options.port), Page).serve_forever()
