"""What a server seldom does: it is slow, it fails, a proxy answers for it, and loops change faster than a page can show."""

import json
import threading
import time
import urllib.parse

from fleet import eventually
from stub import Answer, Stub

NOTES = 5000
HTML = "<html><h1>Bad gateway of somebody</h1></html>"


class Slow(Answer):
    """Answers after a while, and counts what waits."""


    def do_GET(self):
        path, _, query = self.path.partition("?")
        kind = "model" if "at=" in query else path.rpartition("/")[2]
        with self.server.lock:
            waiting = self.server.waiting[kind] = self.server.waiting.get(kind, 0) + 1
            self.server.most[kind] = max(waiting, self.server.most.get(kind, 0))
            self.server.last = time.monotonic()
        try:
            if path.startswith("/loops/") and not path.endswith("/models"):
                time.sleep(self.server.delay)
            for ending, problem in list(self.server.problems.items()):
                if path.endswith(ending):
                    return self.answer(json.dumps({"detail": problem[1], "code": problem[2]}).encode(), {"Content-Type": "application/problem+json"}, problem[0])
            super().do_GET()
        finally:
            with self.server.lock:
                self.server.waiting[kind] -= 1

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append(self.headers["Idempotency-Key"])
        self.server.release.wait(60)
        status, body, kind = self.server.outcome
        self.answer(body.encode(), {"Content-Type": kind}, status)

    def loop(self, name, part, values):
        server = self.server
        if name == "noted" and part == "/history":
            return self.noted(values)
        if part == "/models" and name == "busy":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            while server.number < server.end:
                time.sleep(0.02)
                # Some are missed, as by a slow reader.
                server.number += 3
                self.wfile.write(f"id: {server.number}-x\ndata: {json.dumps({'number': server.number})}\n\n".encode())
                self.wfile.flush()
            return server.over.wait(600)
        if part == "/models" and name == "calm":
            server.streams += 1
        if name != "busy" or part == "/waits":
            return super().loop(name, part, values)
        if part == "/history":
            start, end = int(values.get("from", 0)), min(server.number, int(values["to"]))
            return self.answer(json.dumps({"entries": [event(name, number) for number in range(start, end + 1)], "first": 0}).encode())
        number = int(values.get("at", server.number))
        self.answer(json.dumps({"number": number}).encode(), {"Content-Type": "application/json", "Event-Number": str(number)})

    def noted(self, values):
        """Four events, of which the second has more notes than a page reads at once."""
        rows = [event("noted", 0), event("noted", 1)]
        rows += [{"kind": "note", "note": "attempt-failed", "loop": "noted", "sequence": 1, "effect": "noted/1/0", "reason": "no"} for _ in range(NOTES)]
        rows += [event("noted", 2), event("noted", 3)]
        if "after" in values:
            start = int(values["after"]) + 1
        else:
            start = next(index for index, row in enumerate(rows) if row["sequence"] >= int(values["from"]))
        end = start + 256
        answer = {"entries": rows[start:end], "first": 0}
        if end < len(rows):
            answer["next"] = str(end - 1)
        self.answer(json.dumps(answer).encode())


def event(loop, number):
    return {"kind": "event", "loop": loop, "sequence": number, "source": "outside" if number else "start", "time": "2026-03-01T12:00:00.000Z", "key": "k",
            "type": "T", "event": {f"event{number}": {}}, "effectCount": 0, "effects": []}


def stub_of(fleet):
    stub = Stub(fleet.url, Slow)
    stub.lock, stub.waiting, stub.most, stub.delay, stub.problems, stub.last = threading.Lock(), {}, {}, 0, {}, 0
    stub.number, stub.end, stub.over, stub.streams = 1000, 1000, threading.Event(), 0
    stub.sent, stub.release, stub.outcome = [], threading.Event(), None
    return stub


def busy(browser, fleet):
    """A loop with 150 events a second, of which a third arrive, while each answer takes 300 ms."""
    stub = stub_of(fleet)
    stub.delay, stub.end = 0.3, 1000 + 3 * 250
    browser.open(stub.url, "/#/loop/busy")
    eventually("it is half over", lambda: stub.number > 1400)
    browser.sees("since event", ".right")
    eventually("it is over", lambda: stub.number >= stub.end)
    over = time.monotonic()
    browser.sees(f"{stub.end:,} of {stub.end:,}", ".where")
    browser.sees(f"event{stub.end}", ".timeline [aria-selected=true]")
    browser.sees(f"Model after event {stub.end:,}", ".right")
    browser.sees("1 change by this event", ".right")
    took = time.monotonic() - over
    print(f"   after 5 s of a busy loop the page is current within {took:.2f} s; at once were asked { {kind: stub.most[kind] for kind in ['model', 'history', 'waits']} }")
    assert took < 3, f"the page is current {took} s after the last event"
    # Of the history one for each part of the list that is in view, and one for its end.
    assert stub.most["model"] <= 2 and stub.most["history"] <= 3 and stub.most["waits"] <= 1, stub.most
    # It rests: the model and the history are asked for no more.
    def waits(count):
        wanted = stub.asked.count("/loops/busy/waits") + count
        eventually("it has asked what the loop waits for", lambda: stub.asked.count("/loops/busy/waits") >= wanted)

    # At most once more when it was asked in between, and then each five seconds.
    waits(2)
    asked = len(stub.asked)
    waits(1)
    others = [path for path in stub.asked[asked:] if path not in ("/loops/busy/waits", "/loops")]
    assert not others, others
    # Tabs in the background take no connection from the one that is seen.
    before = set(browser.driver.window_handles)
    for _ in range(8):
        browser.driver.execute_cdp_cmd("Target.createTarget", {"url": f"{stub.url}/#/loop/calm", "background": True})
    eventually("they have loaded", lambda: stub.asked.count("/loops/calm/history") >= 8)
    browser.open(stub.url, "/#/loops")
    browser.sees("million")
    assert stub.streams == 0, f"{stub.streams} tabs that nobody sees follow a loop"
    first = browser.driver.current_window_handle
    for handle in set(browser.driver.window_handles) - before:
        browser.driver.switch_to.window(handle)
        browser.driver.close()
    browser.driver.switch_to.window(first)
    stub.over.set()
    stub.shutdown()


def troubles(browser, fleet):
    stub = stub_of(fleet)
    # What fails at first is asked for again, and nothing of it stays.
    stub.problems = {"/calm": (503, "The coordinator starts.", "busy"), "/models": (503, "no", "busy"), "/waits": (403, "lacks the right 'read'", "forbidden")}
    browser.open(stub.url, "/#/loop/calm")
    browser.sees("The coordinator starts.", ".problem")
    del stub.problems["/calm"]
    browser.sees("Model after event 3")
    assert not browser.one("main > .problem").is_displayed(), "a fault that is over is shown"
    asked = stub.asked.count("/loops/calm")
    del stub.problems["/models"]
    eventually("the stream is opened", lambda: stub.streams)
    assert stub.asked.count("/loops/calm") == asked
    # More notes than are read at once hide no event.
    browser.open(stub.url, "/#/loop/noted")
    browser.sees("event2", ".timeline")
    browser.sees("event3", ".timeline [aria-selected=true]")
    browser.clicks(".event", "event1")
    browser.sees("notes or more before the next event")
    assert "not kept" not in browser.text()
    # Addresses that nobody makes.
    for path in ["/#/toString", "/#/__proto__", "/#/constructor?x=1"]:
        browser.open(stub.url, path)
        browser.sees("Needs a person")
    browser.open(stub.url, "/#/loop/order/1")
    browser.sees("Model after event 3")
    assert "/loops/order%2F1" in stub.asked or any(path.startswith("/loops/order%2F1") for path in stub.asked)
    for name in [".", ".."]:
        browser.open(stub.url, f"/#/loop/{name}")
        browser.sees("No browser can ask for a loop of this name")
        browser.judge("step")
    browser.open(stub.url, "/#/send/" + urllib.parse.quote("a\u202eb\u0007"))
    browser.sees("The event, in JSON")
    title = browser.driver.title
    assert "\\u{202e}" in title and "\u202e" not in title, title
    stub.shutdown()


def outcomes(browser, fleet):
    stub = stub_of(fleet)
    problem = "application/problem+json"
    for outcome, is_open in [
        ((502, HTML, "text/html"), True), ((504, "", "text/plain"), True), ((200, HTML, "text/html"), True),
        ((503, '{"detail":"busy now","code":"busy"}', problem), True), ((500, '{"detail":"damaged","code":"damaged"}', problem), False),
        ((409, '{"detail":"held","code":"held"}', problem), False), ((413, HTML, "text/html"), False),
    ]:
        stub.outcome = outcome
        stub.release.clear()
        browser.open(stub.url, "/#/send/calm")
        browser.writes("#event", '{"a":{}}')
        key = browser.text("form code")
        browser.clicks("#send")
        browser.clicks("#confirm-send")
        eventually("it is sent", lambda: stub.sent and stub.sent[-1] == key)
        assert not browser.one("#event").is_enabled(), "an event that is on its way can be changed"
        stub.release.set()
        eventually("the outcome", lambda: browser.all(".problem"))
        words = browser.text(".problem")
        assert "somebody" not in words, words
        assert ("Nobody knows" in words) == is_open, f"{outcome}: {words}"
        eventually("it can be changed", lambda: browser.one("#event").is_enabled())
        browser.one("#event").send_keys(" ")
        if is_open:
            browser.sees("This is another event now", ".problem")
        assert "Nobody knows" not in browser.text(".problem")
        assert browser.text("form code") != key
    stub.shutdown()
