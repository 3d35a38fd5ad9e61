#!/usr/bin/env python3
"""Small sites on which link checkers go wrong; SiteCaseTests.swift says what is right for each.

A page that was read proves it by its link to /lost/NAME, which is broken.

usage: sites.py NAME    It listens on a free port of loopback and prints the site's address as its first line.
"""
import gzip
import html
import socket
import sys
import threading
import time
import zlib

HTML = "text/html; charset=utf-8"


def answer(body=b"", *fields, status="200 OK", kind=HTML):
    body = body.encode() if isinstance(body, str) else body
    fields = [f"Content-Type: {kind}"] * bool(kind) + [f"Content-Length: {len(body)}", "Connection: close", *fields]
    head = "".join(f"{line}\r\n" for line in [f"HTTP/1.1 {status}", *fields])
    return head.encode("utf-8", "surrogateescape") + b"\r\n" + body


def redirect(location, *fields):
    return answer(b"", f"Location: {location}", *fields, status="302 Found")


def links(targets):
    return "<!doctype html><meta charset=utf-8>" + "".join(f'\n<a href="{target}">x</a>' for target in targets)


def proof(name):
    return links(["/lost/" + html.escape(name)])


def index(members, target):
    """The start page, with a link to each member; None, which is 404, for other targets."""
    return answer(links("/" + name for name in members)) if target == "/" else None


def site(members):
    """A site of such pages: a function from the proof's bytes to an answer each."""
    return lambda target, *_: (
        members[target[1:]](proof(target[1:]).encode()) if target[1:] in members else index(members, target))


def beginning(handle, target):
    """A site whose start page is a page of another one."""
    return lambda asked, *rest: handle(target, *rest) if asked == "/" else None


def written(meanings, others=None):
    """A site of a page with links as they are written, and of the pages at exactly the targets that they mean."""
    def handle(target, headers, _):
        page = links(meanings).replace("HERE", "127.0.0.1:PORT").replace("PORT", headers["host"].split(":")[1])
        pages = {"/": page} | {meant: proof(meant[1:]) for meant in meanings.values() if meant} | (others or {})
        return answer(pages[target]) if target in pages else None
    return handle


# What each address sets on its way to another, and what must be sent to it.
SETS = {"/again": ("/again", "again=1; Path=/"), "/door": ("/hall",), "/hall": ("/door", "hall=1; Path=/"),
        "/pair": ("/both", "left=1; HttpOnly", "right=2; SameSite=Lax"), "/deep/in": ("/deep/room", "deep=1"),
        "/year": ("/years", "year=1; Expires=Wed, 09-Jun-50 10:18:14 GMT"),
        "/foreign": ("/home", "foreign=1; Domain=example.org"), "/narrow": ("/wide", "narrow=1; Path=/narrow")}
WANTS = {"/again": {"again=1"}, "/door": {"hall=1"}, "/both": {"left=1", "right=2"}, "/deep/room": {"deep=1"},
         "/years": {"year=1"}, "/home": set(), "/wide": set()}


def cookies(target, headers, _):
    sent = set(headers.get("cookie", "").split("; "))
    if target in WANTS and WANTS[target] <= sent and not sent & {"foreign=1", "narrow=1"}:
        return answer(proof(target[1:]))
    if target in SETS:
        return redirect(SETS[target][0], *("Set-Cookie: " + cookie for cookie in SETS[target][1:]))
    return index(["again", "door", "pair", "deep/in", "year", "foreign", "narrow"], target)


def start_cookie(target, headers, _):
    page = answer(proof("start")) if headers.get("cookie") == "seen=1" else redirect("/", "Set-Cookie: seen=1")
    return page if target == "/" else None


def number(value):
    return value.to_bytes(3, "little")


def coded(encode, coding):
    return lambda body: answer(encode(body), f"Content-Encoding: {coding}")


CODINGS = {
    "x-gzip": coded(gzip.compress, "x-gzip"), "upper": coded(gzip.compress, "GZIP"), "plain": coded(bytes, "gzip"),
    "mixed": coded(zlib.compress, "Deflate"), "zlib": coded(zlib.compress, "deflate"), "none": coded(bytes, "none"),
    "raw": coded(lambda body: zlib.compress(body)[2:-4], "deflate"), "binary": coded(bytes, "binary"),
    "members": coded(lambda body: gzip.compress(body[:20]) + gzip.compress(body[20:]), "gzip"),
    "padded": coded(lambda body: gzip.compress(body) + bytes(9), "gzip"), "empty": coded(bytes, ""),
    "twice": coded(lambda body: gzip.compress(zlib.compress(body)), "deflate, gzip"),
}
# Blocks that are not compressed (RFC 7932, 9.2; RFC 8878, 3.1.1).
NEWER = {
    "br": coded(lambda body: number(len(body) - 1 << 4 | 1 << 20) + body + b"\3", "br"),
    "zstd": coded(lambda body: b"\x28\xb5\x2f\xfd\x20%c" % len(body) + number(len(body) << 3 | 1) + body, "zstd"),
}


def codings(target, headers, method):
    accepted = {name: page if name in headers.get("accept-encoding", "") else answer for name, page in NEWER.items()}
    return site(CODINGS | accepted)(target)


UNREAD = {
    "compress": coded(lambda _: b"\x1f\x9d\x90" + bytes(9), "compress"), "noise": coded(lambda _: bytes(9), "gzip"),
    "bomb": coded(lambda _: gzip.compress(bytes(20 << 20)), "gzip"), "large": lambda _: answer(b"a" * (17 << 20)),
}


def typed(*values, field="Content-Type", first=b"\n <!DOCTYPE HTML>"):
    return lambda body: answer(first + body, *(f"{field}: {value}" for value in values), kind=None)


TYPES = {
    "missing": typed(), "semicolons": typed("text/html;;charset=UTF-8"), "comma": typed("text/html, text/html"),
    "any": typed("*/*"), "unknown": typed("application/unknown"), "quoted": typed('text/html; charset="utf-8"'),
    "upper": typed("TEXT/HTML"), "word": typed("html"), "last": typed("text/plain", "text/html"),
    "comment": typed(first=b"<!-- ours -->"), "text": typed("text/plain"), "missing#nowhere": None,
    "nosniff": typed("nosniff", field="X-Content-Type-Options"),
}


def http(line, *fields):
    """A status line, these fields and a body, whose length is %d; the length alone unless told."""
    head = line + b"\r\nContent-Type: text/html\r\n" + b"".join(field + b"\r\n" for field in fields or [LENGTH])
    return lambda body: head.replace(b"%d", b"%d" % len(body)) + b"\r\n" + body


def chunked(*fields, extension=b"", trailer=b""):
    head = http(OK, *fields)(b"")
    return lambda body: head + b"%x%s\r\n%s\r\n0\r\n%s\r\n" % (len(body), extension, body, trailer)


OK, LENGTH, CHUNKED = b"HTTP/1.1 200 OK", b"Content-Length: %d", b"Transfer-Encoding: chunked"
LENIENT = {
    "newlines": lambda body: http(OK)(body).replace(b"\r\n", b"\n"), "no-reason": http(b"HTTP/1.1 200"),
    "odd-status": http(b"HTTP/1.1 299 "), "folded": http(OK, b"X-Note: one\r\n two\r\n\tthree", LENGTH),
    "folded-type": lambda body: http(OK)(body).replace(b"/html", b"/html;\r\n charset=utf-8", 1),
    "large": http(OK, b"X-Policy: " + b"x" * 90_000, LENGTH), "old": http(b"HTTP/1.0 200 OK", b"X-Note: 1"),
    "two-lengths": http(OK, LENGTH, LENGTH), "length-list": http(OK, b"Content-Length: %d, %d"),
    "space": http(OK, b"X-Note : 1", LENGTH), "tabs": http(OK, b"Content-Length:\t%d\t"),
    "latin1": http(OK, b"X-Name: Ren\xe9", LENGTH), "many": http(OK, *[b"X-Part: 0123456789"] * 400, LENGTH),
    "early-hints": lambda body: b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + http(OK)(body),
    "trailers": chunked(CHUNKED, b"Trailer: X-Sum", trailer=b"X-Sum: 1\r\n"),
    "extension": chunked(b"Transfer-Encoding: Chunked", extension=b";name=value"),
    "both": chunked(b"Content-Length: 5", CHUNKED),
}
BROKEN_OFF = {"length": http(OK, b"Content-Length: 1%d"), "chunks": lambda body: chunked(CHUNKED)(body)[:-5]}


def heads(target, headers, method):
    """HEAD is no proof of a type, a redirect or a status."""
    if target == "/":
        images = ["photo", "moved", "refused", "absent", "failing", "silent", "page"]
        return answer("<link rel=stylesheet href=/style><script src=/app></script>" + "".join(
            f"\n<img src=/{name}>" for name in images))
    if method == "HEAD":
        lies = {"/moved": redirect("/lost/moved"), "/refused": answer(status="405 No"), "/absent": None, "/silent": b"",
                "/failing": answer(status="500 No")}
        return lies.get(target, answer())
    kinds = {"/style": "text/css", "/app": "text/javascript", "/page": HTML}
    return None if target.startswith("/lost") else answer(b"x", kind=kinds.get(target, "image/gif"))


def locations(target, headers, _):
    here = "http://" + headers["host"]
    routes = {
        "utf8": ("/straße", "/stra%C3%9Fe"), "latin1": ("/stra\udcdfe", "/stra%DFe"), "dots": ("/a/../up", "/up"),
        "spaces": ("/two words", "/two%20words"), "around": (" /plain\t", "/plain"), "relative": ("near", "/near"),
        "escaped": ("/%c3%a9", "/%c3%a9"), "absolute": (here + "/ö", "/%C3%B6"), "query": ("?p=2", "/query?p=2"),
        "scheme": (here[5:] + "/slashes", "/slashes"), "back": ("\\slash", "/slash"), "fragment": ("/part#ö", "/part"),
        "quotes": ('/"<>"', "/%22%3C%3E%22")}
    if target[1:] in routes:
        return redirect(routes[target[1:]][0])
    if target == "/created":
        return answer(proof("created"), "Location: /nowhere", status="201 Created")
    is_meant = target in (meant for _, meant in routes.values())
    return answer(proof(target[1:])) if is_meant else index([*routes, "created"], target)


def stamp(form):
    return lambda due: time.strftime(form, time.gmtime(due))


FORMS = {
    "seconds": lambda due: due - int(time.time()), "imf": stamp("%a, %d %b %Y %H:%M:%S GMT"), "soon": stamp("soon"),
    "rfc850": stamp("%A, %d-%b-%y %H:%M:%S GMT"), "asctime": stamp("%a %b %e %H:%M:%S %Y"),
}
due = {}


def retries(target, *_):
    """Who comes back before the time is refused for good."""
    name = target[1:]
    if name not in FORMS:
        return index(FORMS, target)
    if name in due:
        return answer(proof(name)) if time.time() >= due[name] else None
    # In two to three seconds; an audit's own first pause is one.
    until = int(time.time()) + 3
    due[name] = 0 if name == "soon" else until
    return answer(b"", f"Retry-After: {FORMS[name](until)}", status="503 Later")


# How a link is written, and the exact target that it means.
REFERENCES = {
    "&sol;slash": "/slash", "/dot&period;html": "/dot.html", "/low&lowbar;line": "/low_line", "/part&num;top": "/part",
    "http&colon;&sol;&sol;HERE/colon": "/colon", "/copy?x=1&copy=2": "/copy?x=1&copy=2", "/end?x&copy": "/end?x%C2%A9",
    "/amp?x&ampy": "/amp?x&ampy", "/amps?x&amp;y": "/amps?x&y", "/not?x&notit;y": "/not?x&notit;y",
    "/hex&#x2f;two": "/hex/two", "/old&#150;dash": "/old%E2%80%93dash", "/null&#0;": "/null%EF%BF%BD",
    "/two&NotEqualTilde;": "/two%E2%89%82%CC%B8", "/ta&Tab;b&NewLine;": "/tab", "/bogus?&bogus;": "/bogus?&bogus;",
    "/caf&eacute;": "/caf%C3%A9", "/th&eacute": "/th%C3%A9",
}
SLASHES = {
    "http:/one": "/one", "http:///HERE/two": "/two", "\\\\HERE/three": "/three", "/\\HERE/four": "/four",
    "http:five": "/five", "HTTP:\\\\HERE\\six": "/six", "http://127.1:PORT/seven": "/seven", "/x/./y/%2e%2E/z": "/x/z",
    "http://0x7f.0.0.1:PORT/eight": "/eight", "http://2130706433:PORT/nine": "/nine", "ht\ntp://HERE/ten": "/ten",
    "http://0177.0.0.01:PORT/octal": "/octal", "http://127.0.0.1.:PORT/dot": "/dot", "http://0x7f000001:PORT/x": "/x",
    "http://１２７。0。0。１:PORT/wide": "/wide", "http://127.0.0.1:0PORT/0": "/0",
    "http://256.0.0.1/": "", "http://1.2.3.4.5/": "", "http://127.0.0.08/": "", "http://127.0.0.1:65536/": "",
}
HOSTS = {f"http://{host}:PORT/{name}": "/" + name for name, host in {
    "wide": "ｌｏｃａｌｈｏｓｔ", "soft": "local\u00adhost", "upper": "LOCALHOST", "zero": "loc\u200balhost",
    "bold": "𝐥𝐨𝐜𝐚𝐥𝐡𝐨𝐬𝐭", "escaped": "%6Cocalhost", "circled": "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "long": "localhoſt",
}.items()}
HOSTS |= {"http://local%20host/": "", "http://local<host/": ""}
SPELLINGS = {path: path for path in [
    "/tag/%c3%b6", "/%7Eme/", "/q?x=%2d1", "/it's(1);v=1", "/A%2FB", "/100%", "/[x]|y", "/plus+and%20space", "/a//b"]}
RULES = """User-agent: *\nDisallow: /star-%2A.html\nDisallow: /%7Euser\nDisallow: /[x]\nDisallow: /ü\nDisallow: /%c3%b6
Disallow: /cost-%24\nDisallow: /any*.gif$\nDisallow: /both\nAllow: /both\n"""
RULED = {path: path for path in [
    "/star-*.html", "/star-%2A.html", "/star-two.html", "/~user", "/%7euser", "/[x]", "/%5Bx%5D", "/%C3%BC", "/%c3%b6",
    "/cost-$", "/cost-", "/anything.gif", "/anything.gif?x", "/both"]}
RAW = """<!doctype html><meta charset=utf-8><title><a href=/no/title></title>
<xmp><a href=/no/xmp></XMP ><iframe src=/yes/iframe><a href=/no/iframe></iframe><noembed><a href=/no/noembed></noembed>
<textarea><a href=/no/textarea></textareas></textarea><style><a href=/no/style></style>
<script type=text/template><a href=/no/script></script><script><!-- <script></script><a href=/no/double> --></script>
<!--><a href=/yes/short>x</a> --><!---><a href=/yes/dash>x</a> --><!-- x --!><a href=/yes/bang>x</a>
<!-- > -- > <a href=/no/comment> --><?php <a><a href=/yes/question>x</a><![CDATA[ <a> <a href=/yes/cdata>x</a> ]]>
</ <a href=/no/end>><svg><style><a href=/yes/svg>x</a></style><![CDATA[<a href=/no/svg>]]></svg>
<a title="> <a href=/no/title>" href=/yes/quoted>x</a><a/href=/yes/solidus>x</a><a href=/yes/first href=/no/second>x</a>
<plaintext><a href=/no/plaintext></plaintext><a href=/no/after>"""


def raw_text(target, *_):
    return answer(RAW) if target == "/" else answer(proof(target[1:])) if target[1:3] in ("no", "ye") else None


def spellings(target, *rest):
    """The server has its escapes in lower case, and redirects other spellings there."""
    lower = written(SPELLINGS | {"/tag/ü": "/tag/%c3%bc"})
    return redirect("/tag/%c3%bc") if target == "/tag/%C3%BC" else lower(target, *rest)


def in_encoding(encoding, charset, first="", link=None):
    """A page in Python's encoding that the header labels with a charset, if with any."""
    kind = f"text/html; charset={charset}" if charset else "text/html"
    return lambda body: answer((first + (links([link]) if link else body.decode())).encode(encoding), kind=kind)


ENCODINGS = {
    "le": in_encoding("utf-16-le", "utf-16le"), "be": in_encoding("utf-16-be", "utf-16be"),
    "label": in_encoding("utf-16-le", "utf-16"), "mark-le": in_encoding("utf-16-le", "", "\ufeff"),
    "mark-be": in_encoding("utf-16-be", "utf-8", "\ufeff"), "meta": in_encoding("utf-8", "", "<meta charset=utf-16>"),
}
# The path of a link is in UTF-8, its query in the encoding of its page.
QUERIES = {
    "chinese": in_encoding("gb2312", "gb2312", link="/洪?洪"), "utf16": in_encoding("utf-16-le", "utf-16", link="/u?é"),
    "latin1": in_encoding("latin-1", "iso-8859-1", link="/é?é\x80&#27946;"),
    "japanese": in_encoding("shift_jis", "shift_jis", link="/表?表"),
    "russian": in_encoding("koi8-r", "koi8-r", link="/ж?ж%e9"),
}
MEANT = ["/%E6%B4%AA?%BA%E9", "/u?%C3%A9", "/%C3%A9?%E9%80%26%2327946%3B", "/%E8%A1%A8?%95\\", "/%D0%B6?%D6%e9"]


def queries(target, *_):
    return answer(proof(target[1:])) if target in MEANT else site(QUERIES)(target)


CASES = {
    "cookies": cookies, "codings": codings, "unread": site(UNREAD), "types": site(TYPES), "lenient": site(LENIENT),
    "broken-off": site(BROKEN_OFF), "heads": heads, "locations": locations, "retries": retries, "raw-text": raw_text,
    "references": written(REFERENCES), "slashes": written(SLASHES), "hosts": written(HOSTS), "spellings": spellings,
    "robots": written(RULED, {"/robots.txt": RULES}), "queries": queries, "encodings": site(ENCODINGS),
    "start-cookie": start_cookie, "start-none": beginning(codings, "/none"), "start-raw": beginning(codings, "/raw"),
    "start-type": beginning(site(TYPES), "/missing"), "start-utf16": beginning(site(ENCODINGS), "/mark-be"),
}


def serve(connection, handle):
    with connection, connection.makefile("rb") as lines:
        method, target = lines.readline().decode("latin-1").split()[:2]
        fields = (line.decode("latin-1").partition(":") for line in iter(lines.readline, b"\r\n"))
        data = handle(target, {name.lower(): value.strip() for name, _, value in fields}, method)
        data = answer(status="404 No") if data is None else data
        connection.sendall(data if method != "HEAD" else b"".join(data.partition(b"\r\n\r\n")[:2]))


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    host = "localhost" if sys.argv[1] == "hosts" else "127.0.0.1"
    print(f"http://{host}:{listener.getsockname()[1]}/", flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0], CASES[sys.argv[1]]), daemon=True).start()


main()
