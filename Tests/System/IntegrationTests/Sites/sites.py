#!/usr/bin/env python3
"""Small sites on which link checkers go wrong; SiteCaseTests.swift says what is right for each.

A page that was read proves it by a link to /lost/NAME, which is broken: what is right is the list of these names.

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
    """The start page, with a link to each member; None for other targets."""
    return answer(links("/" + name for name in members)) if target == "/" else None


def cookies(target, headers, _):
    sent = set(headers.get("cookie", "").split("; "))
    # What each address sets on its way to another.
    sets = {"/again": ("/again", "again=1; Path=/"), "/door": ("/hall",), "/hall": ("/door", "hall=1; Path=/"),
            "/pair": ("/both", "left=1; HttpOnly", "right=2; SameSite=Lax"), "/deep/in": ("/deep/room", "deep=1"),
            "/year": ("/years", "year=1; Expires=Wed, 09-Jun-50 10:18:14 GMT"),
            "/foreign": ("/home", "foreign=1; Domain=example.org"), "/narrow": ("/wide", "narrow=1; Path=/narrow")}
    wants = {"/again": {"again=1"}, "/door": {"hall=1"}, "/both": {"left=1", "right=2"}, "/deep/room": {"deep=1"},
             "/years": {"year=1"}, "/home": set(), "/wide": set()}
    if wants.get(target, {"never"}) <= sent and not sent & {"foreign=1", "narrow=1"}:
        return answer(proof(target[1:]))
    if target in sets:
        return redirect(sets[target][0], *("Set-Cookie: " + cookie for cookie in sets[target][1:]))
    return index(["again", "door", "pair", "deep/in", "year", "foreign", "narrow"], target)


def start_cookie(target, headers, _):
    page = answer(proof("start")) if headers.get("cookie") == "seen=1" else redirect("/", "Set-Cookie: seen=1")
    return page if target == "/" else None


def raw_deflate(body):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(body) + compressor.flush()


def brotli(body):
    """A meta-block that is not compressed, and an empty one (RFC 7932, 9.2)."""
    return (len(body) - 1 << 4 | 1 << 20).to_bytes(3, "little") + body + b"\3"


def zstd(body):
    """A raw block in a single segment (RFC 8878, 3.1.1)."""
    return b"\x28\xb5\x2f\xfd\x20%c" % len(body) + (len(body) << 3 | 1).to_bytes(3, "little") + body


CODINGS = {
    "x-gzip": (gzip.compress, "x-gzip"), "upper": (gzip.compress, "GZIP"), "mixed": (zlib.compress, "Deflate"),
    "zlib": (zlib.compress, "deflate"), "raw": (raw_deflate, "deflate"), "none": (bytes, "none"),
    "binary": (bytes, "binary"), "empty": (bytes, ""), "plain": (bytes, "gzip"),
    "members": (lambda body: gzip.compress(body[:20]) + gzip.compress(body[20:]), "gzip"),
    "padded": (lambda body: gzip.compress(body) + bytes(9), "gzip"), "br": (brotli, "br"), "zstd": (zstd, "zstd"),
    "twice": (lambda body: gzip.compress(zlib.compress(body)), "deflate, gzip"),
}


def codings(target, headers, _):
    name = target[1:]
    if name in ("br", "zstd") and name not in headers.get("accept-encoding", ""):
        return answer(proof(name))
    if name in CODINGS:
        return answer(CODINGS[name][0](proof(name).encode()), f"Content-Encoding: {CODINGS[name][1]}")
    return index(CODINGS, target)


def unread(target, *_):
    pages = {"compress": (b"\x1f\x9d\x90" + bytes(99), "compress"), "noise": (bytes(range(256)), "gzip"),
             "large": (b"<p>" + b"a" * (16 << 20), "identity"), "bomb": (gzip.compress(bytes(20 << 20)), "gzip")}
    body, coding = pages.get(target[1:], (b"", ""))
    return answer(body, f"Content-Encoding: {coding}") if body else index(pages, target)


TYPES = {
    "missing": [], "semicolons": ["text/html;;charset=UTF-8"], "comma": ["text/html, text/html"], "any": ["*/*"],
    "unknown": ["application/unknown"], "quoted": ['text/html; charset="utf-8"'], "upper": ["TEXT/HTML"],
    "word": ["html"], "last": ["text/plain", "text/html"], "text": ["text/plain"],
}


def types(target, *_):
    if target[1:] in TYPES:
        fields = [f"Content-Type: {value}" for value in TYPES[target[1:]]]
        return answer("\n <!-- ours -->" + proof(target[1:]), *fields, kind=None)
    if target == "/nosniff":
        return answer(proof("nosniff"), "X-Content-Type-Options: nosniff", kind=None)
    return index([*TYPES, "missing#nowhere", "nosniff"], target)


def http(line, *fields):
    """A status line, these fields and a body, whose length is %d; the length alone unless told."""
    fields = b"".join(field + b"\r\n" for field in fields or [LENGTH])
    return lambda body: line + b"\r\nContent-Type: text/html\r\n" + fields.replace(b"%d", b"%d" % len(body)) + b"\r\n" + body


def chunked(*fields, extension=b"", trailer=b""):
    head = http(OK, *fields)(b"")
    return lambda body: head + b"%x%s\r\n%s\r\n0\r\n%s\r\n" % (len(body), extension, body, trailer)


OK, LENGTH, CHUNKED = b"HTTP/1.1 200 OK", b"Content-Length: %d", b"Transfer-Encoding: chunked"
ODD = {
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
CUT = {"length": http(OK, b"Content-Length: 1%d"), "chunks": lambda body: chunked(CHUNKED)(body)[:-5]}


def lenient(target, *_):
    return ODD[target[1:]](proof(target[1:]).encode()) if target[1:] in ODD else index(ODD, target)


def broken_off(target, *_):
    return CUT[target[1:]](b"<p>half") if target[1:] in CUT else index(CUT, target)


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
    routes = {"utf8": "/straße", "latin1": "/stra\udcdfe", "spaces": "/two words", "around": " /plain\t", "dots": "/a/../up",
              "escaped": "/stra%c3%9fe/", "relative": "near", "absolute": here + "/ö", "query": "?page=2",
              "scheme": here[5:] + "/slashes", "back": "\\back", "fragment": "/part#ö", "quotes": '/"<>"'}
    if target == "/created":
        return answer(proof("created"), "Location: /nowhere", status="201 Created")
    return redirect(routes[target[1:]]) if target[1:] in routes else index([*routes, "created"], target)


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
    # Two seconds at least, three at most; the first pause of an audit is one.
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
SPELLINGS = {written: written for written in [
    "/tag/%c3%b6", "/%7Eme/", "/q?x=%2d1", "/it's(1);v=1", "/A%2FB", "/100%", "/[x]|y", "/plus+and%20space", "/a//b"]}
SLASHES = {
    "http:/one": "/one", "http:///HERE/two": "/two", "\\\\HERE/three": "/three", "/\\HERE/four": "/four",
    "http:five": "/five", "HTTP:\\\\HERE\\six": "/six", "http://127.1:PORT/seven": "/seven", "/x/./y/%2e%2E/z": "/x/z",
    "http://0x7f.0.0.1:PORT/eight": "/eight", "http://2130706433:PORT/nine": "/nine", "ht\ntp://HERE/ten": "/ten",
    "http://0177.0.0.01:PORT/octal": "/octal", "http://127.0.0.1.:PORT/dot": "/dot", "http://0x7f000001:PORT/hex": "/hex",
    "http://１２７。0。0。１:PORT/wide": "/wide", "http://me@HERE/user": "/user", "http://127.0.0.1:0PORT/port": "/port",
    "http://256.0.0.1/": "", "http://1.2.3.4.5/": "", "http://127.0.0.08/": "", "http://127.0.0.1:65536/": "",
}
HOSTS = {f"http://{host}:PORT/{name}": "/" + name for name, host in {
    "wide": "ｌｏｃａｌｈｏｓｔ", "soft": "local\u00adhost", "upper": "LOCALHOST", "zero": "loc\u200balhost", "bold": "𝐥𝐨𝐜𝐚𝐥𝐡𝐨𝐬𝐭",
    "escaped": "%6Cocalhost", "circled": "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "long": "localhoſt"}.items()} | {
    "http://local%20host/": "", "http://local<host/": "", "http://xn--a/": ""}
ROBOTS = """User-agent: *
Disallow: /star-%2A.html\nDisallow: /%7Euser\nDisallow: /[x]\nDisallow: /ü\nDisallow: /%c3%b6\nDisallow: /cost-%24
Disallow: /any*.gif$\nDisallow: /both\nAllow: /both\n"""
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
QUERIES = {"gb2312": "/洪?q=洪", "iso-8859-1": "/é?q=é\x80&#27946;", "shift_jis": "/表?q=表", "utf-16le": "/u?q=é",
           "koi8-r": "/ж?q=ж&done=%e9"}
WIDE = {"le": ("utf-16-le", "utf-16le"), "be": ("utf-16-be", "utf-16be"), "label": ("utf-16-le", "utf-16"),
        "mark-le": ("utf-16", ""), "mark-be": ("utf-16-be", "utf-8"), "meta": ("utf-8", "")}


def written(targets, extra=None):
    """A site of one page with links, and of the pages that they mean."""
    def handle(target, headers, _):
        port = headers["host"].split(":")[1]
        page = links(targets).replace("HERE", "127.0.0.1:PORT").replace("PORT", port)
        pages = {"/": page} | {name: proof(name[1:]) for name in targets.values() if name} | (extra or {})
        return answer(pages[target]) if target in pages else None
    return handle


def spellings(target, headers, method):
    """The server has lower-case escapes only, and redirects other spellings there."""
    if target == "/tag/%C3%BC":
        return redirect("/tag/%c3%bc")
    return written(SPELLINGS | {"/tag/ü": "/tag/%c3%bc"})(target, headers, method)


def raw_text(target, *_):
    return answer(RAW) if target == "/" else answer(proof(target[1:])) if target[:3] in ("/no", "/ye") else None


def queries(target, *_):
    for charset, link in QUERIES.items():
        if target[1:] == charset:
            page = f'<a href="{link}">x</a>'
            return answer(page.encode("latin-1" if charset == "iso-8859-1" else charset), kind=f"text/html; charset={charset}")
    meant = ["/%E6%B4%AA?q=%BA%E9", "/%C3%A9?q=%E9%80%26%2327946%3B", "/%E8%A1%A8?q=%95\\", "/u?q=%C3%A9",
             "/%D0%B6?q=%D6&done=%e9"]
    return answer(proof(target[1:])) if target in meant else index(QUERIES, target)


def wide(target, *_):
    if target[1:] not in WIDE:
        return index(WIDE, target)
    encoding, label = WIDE[target[1:]]
    mark = "\ufeff" if target == "/mark-be" else "<meta charset=utf-16>" if target == "/meta" else ""
    return answer((mark + proof(target[1:] + "-é")).encode(encoding), kind="text/html" + f"; charset={label}" * bool(label))


def beginning(handle, target):
    """A site whose start page is a page of another one."""
    return lambda asked, *rest: handle(target, *rest) if asked == "/" else None


CASES = {function.__name__: function for function in [
    cookies, start_cookie, codings, unread, types, lenient, broken_off, heads, locations, retries, spellings, raw_text,
    queries, wide]} | {
    "references": written(REFERENCES), "slashes": written(SLASHES), "hosts": written(HOSTS),
    "robots": written(RULED, {"/robots.txt": ROBOTS}), "start_none": beginning(codings, "/none"),
    "start_raw": beginning(codings, "/raw"), "start_missing": beginning(types, "/missing"),
    "start_unread": beginning(unread, "/noise"), "start_wide": beginning(wide, "/mark-be")}


def serve(connection, handle):
    with connection, connection.makefile("rb") as lines:
        method, target = lines.readline().decode("latin-1").split()[:2]
        fields = (line.decode("latin-1").partition(":") for line in iter(lines.readline, b"\r\n"))
        data = handle(target, {name.lower(): value.strip() for name, _, value in fields}, method)
        data = answer(proof("nothing"), status="404 No") if data is None else data
        connection.sendall(data if method != "HEAD" else b"".join(data.partition(b"\r\n\r\n")[:2]))


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    host = "localhost" if sys.argv[1] == "hosts" else "127.0.0.1"
    print(f"http://{host}:{listener.getsockname()[1]}/", flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0], CASES[sys.argv[1]]), daemon=True).start()


main()
