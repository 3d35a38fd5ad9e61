"""A server with the real pages and a made-up fleet, for what no example can be brought to: hostile models, and a million events."""

import http.server
import json
import re
import sys
import threading
import urllib.parse
import urllib.request

MARKUP = "<img src=x onerror=\"window.broken=1\"><script>window.broken=1</script>"
DIRECTION = "abc\u202edcba\u2066x\u0007\u0000\u001b[31m"
EVENTS = 1_000_000


def deep(levels):
    return '{"down":' * levels + "1" + "}" * levels


MODELS = {
    "markup": json.dumps({MARKUP: MARKUP, "__proto__": {"toString": 1}, "constructor": [MARKUP], DIRECTION: DIRECTION, "": "", "\ud800half": "\udfff", "k" * 300_000: {"c" * 300_000: {}}}),
    "large": json.dumps({"text": "x" * 1_000_000, "wide": {f"key {index}": index for index in range(10_000)}, "long": list(range(10_000))}),
    "deep": deep(5000),
    "exact": '{"large":9223372036854775807,"small":-9223372036854775808,"fraction":1.10}',
}


class Stub(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, real, answer=None):
        super().__init__(("127.0.0.1", 0), answer or Answer)
        self.real = real
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        # Pages give up requests.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.server.asked.append(path)
        values = dict(urllib.parse.parse_qsl(query))
        if path == "/" or path.startswith("/dashboard/"):
            with urllib.request.urlopen(self.server.real + path) as file:
                headers = {key: file.headers[key] for key in ("Content-Type", "Content-Security-Policy")}
                return self.answer(file.read(), headers)
        loop = re.fullmatch(r"/loops/([^/]+)(/\w+)?", path)
        if not loop:
            return self.answer(json.dumps(self.fleet(path, values)).encode())
        self.loop(urllib.parse.unquote(loop[1]), loop[2], values)

    def fleet(self, path, values):
        if path == "/session":
            return {"rights": ["read", "models"], "maximumPayload": 1000}
        if path == "/loops":
            names = [values["prefix"]] if values.get("limit") == "1" else [MARKUP, DIRECTION, *MODELS, "million"]
            loops = [{"loop": name, "lastSequence": 3, "pendingEffects": 0, "state": "idle", "facts": {MARKUP[:30]: MARKUP, "n": DIRECTION}} for name in names]
            return {"loops": loops, "places": [], "isComplete": True}
        effect = {"id": f"{MARKUP}/1/0", "loop": MARKUP, "type": MARKUP, "name": MARKUP, "pool": MARKUP, "phase": MARKUP, "ageMilliseconds": 1, "failures": 2,
                  "reason": DIRECTION, "obstacle": MARKUP, "workerName": MARKUP, "worker": "f" * 32, "deadLettered": "2026-03-01T12:00:00.000Z", "due": MARKUP}
        if path in ("/effects", "/letters"):
            return {path[1:]: [effect], "next": MARKUP}
        if path == "/openapi.json":
            return {"components": {"schemas": {"Event": {"oneOf": [{"examples": [{MARKUP: {}}]}]}}}}
        pool = {"pool": MARKUP, "workers": 0, "waiting": 3, "running": 0, "credit": 0, "pause": {"by": MARKUP, "why": DIRECTION, "since": "x"}}
        worker = {"worker": "f" * 32, "name": MARKUP, "pools": [MARKUP], "build": DIRECTION, "running": 0, "credit": 1, "silenceMilliseconds": 9999, "isDraining": False}
        return {"program": MARKUP, "build": DIRECTION, "journal": "j", "epoch": 1, "started": "never", "maximumPayload": 1, "pendingEffects": 0,
                "deadLetters": 1, "heldLoops": 1, "loopCount": 1, "events": 1, "loops": [], "pools": [pool, {**pool, "pool": "p", "pause": None}], "workers": [worker]}

    def loop(self, name, part, values):
        last = EVENTS if name == "million" else 3
        if part == "/waits":
            return self.answer(json.dumps({"loop": name, "sentence": MARKUP, "waits": [{"effect": f"{name}/1/0", "sentence": DIRECTION, "ageMilliseconds": 5}], "more": False}).encode())
        if part == "/models":
            return self.answer(b"", {}, 204)
        if part == "/history":
            start = int(values["after"]) + 1 if "after" in values else int(values.get("from", 0))
            end = min(last, int(values["to"]), start + 255)
            entries = [{"kind": "event", "loop": name, "sequence": number, "source": "outside" if number else "start", "time": "2026-03-01T12:00:00.000Z",
                        "key": MARKUP, "type": "T", "event": {"changed": {"_0": number}} if name == "million" else {MARKUP: {"_0": DIRECTION}},
                        "effectCount": 0, "effects": []} for number in range(start, end + 1)]
            return self.answer(json.dumps({"entries": entries, "first": 0}).encode())
        number = int(values.get("at", last))
        if name == "million":
            text = json.dumps({"number": number, "since": number // 100_000, "same": True})
        else:
            text = MODELS.get(name, MODELS["markup"]) if number else "{}"
        self.answer(text.encode(), {"Content-Type": "application/json", "Event-Number": str(number)})

    def answer(self, body, headers={"Content-Type": "application/json"}, status=200):
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
