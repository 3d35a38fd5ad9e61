"""Throws requests at the stream of models, which schemathesis cannot wait for: each is read for a moment only.

usage: streams.py URL DOCUMENT HEADER COUNT SEED

Half of the requests are valid ones, half have something wrong. Each answer must be one that the document describes, and what
comes of a stream must be server-sent events.
"""

import http.client
import json
import random
import sys
import urllib.parse

MOST_BYTES = 64 << 10
MOST_SECONDS = 0.3
PATH = "/loops/{id}/models"


def text(rng, length):
    alphabet = "abcXYZ019/%.:-_ ~äß€\u202e\u0007\"'\\<>&?#;=+,"
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, length)))


def request(rng):
    """A method, a target and headers; the valid ones are of a loop that is there."""
    method, loop, query, headers = "GET", "main", "", {}
    if rng.random() < 0.5:
        headers["Last-Event-ID"] = rng.choice(["0-0", "0-" + "0" * 32, "18446744073709551615-x", "1", "", "x" * 4000])
        if rng.random() < 0.5:
            return method, loop, query, headers
    wrong = rng.randint(0, 6)
    if wrong == 0:
        loop = text(rng, 200)
    elif wrong == 1:
        query = "?" + urllib.parse.quote(text(rng, 60), safe="=&%+")
    elif wrong == 2:
        method = rng.choice(["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"])
    elif wrong == 3:
        headers["Last-Event-ID"] = "".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(0, 300)))
    elif wrong == 4:
        headers["Host"] = rng.choice(["evil.example", "localhost:1", "[::1", ""])
    elif wrong == 5:
        headers["Accept"] = rng.choice(["text/event-stream", "application/json", "*/*", "\"", "x" * 7000])
    return method, loop, query, headers


def check_events(data):
    """Whether the bytes are the beginning of server-sent events."""
    lines = data.decode("utf-8", "strict" if len(data) < MOST_BYTES else "ignore").split("\n")
    for line in lines[:-1]:
        if line and not line.startswith(("id: ", "data: ", "event: ", "retry: ", ":")):
            return f"the stream has the line {line[:80]!r}"
    events = [line for line in lines[:-1] if line.startswith("data: ")]
    for event in events:
        json.loads(event[6:])
    return None if events or len(data) >= MOST_BYTES else "the stream has no event"


def main():
    url, document, header, count, seed = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3], int(sys.argv[4]), sys.argv[5]
    described = {int(status) for status in document["paths"][PATH]["get"]["responses"]}
    address = urllib.parse.urlparse(url)
    name, value = header.split(": ", 1)
    rng, statuses = random.Random(int(seed)), {}
    for number in range(count):
        method, loop, query, headers = request(rng)
        target = PATH.replace("{id}", urllib.parse.quote(loop, safe="" if rng.random() < 0.9 else "/%")) + query
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=MOST_SECONDS)
        data, problem = b"", None
        try:
            connection.putrequest(method, target, skip_host="Host" in headers)
            for key, content in {name: value, **headers}.items():
                connection.putheader(key, content)
            connection.endheaders()
            connection.sock.settimeout(30)
            response = connection.getresponse()
            statuses[response.status] = statuses.get(response.status, 0) + 1
            connection.sock and connection.sock.settimeout(MOST_SECONDS)
            try:
                while len(data) < MOST_BYTES:
                    part = response.read1(MOST_BYTES)
                    if not part:
                        break
                    data += part
            except TimeoutError:
                pass  # it goes on
            # Other methods are described nowhere.
            if response.status not in described | ({405} if method != "GET" else set()):
                problem = f"the status {response.status} is not described"
            elif response.status == 200 and method == "GET":
                if response.getheader("Content-Type") != "text/event-stream":
                    problem = f"the content type is {response.getheader('Content-Type')}"
                else:
                    problem = check_events(data)
            elif method != "HEAD" and response.status != 200:
                json.loads(data)
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
        finally:
            connection.close()
        if problem:
            print(f"request {number}: {method} {target} {headers}: {problem}\n{data[:300]!r}", file=sys.stderr)
            return 1
    print(f"streams: {count} requests, answered " + ", ".join(f"{s}: {n}" for s, n in sorted(statuses.items())))
    return 0


sys.exit(main())
