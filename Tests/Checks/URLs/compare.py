"""Compares how Site Audit and Ada, a URL parser that follows the URL standard, resolve references: see Tests/run urls."""

import argparse
import json
import random
import subprocess
import sys
import unicodedata
from collections import Counter
from urllib.parse import unquote

import ada_url

BASES = [
    "http://a/b/c/d;p?q", "https://h.example/dir/page?query", "http://user:pw@host:8080/", "https://[::1]:81/x/../y/",
    "http://127.0.0.1/%7e/%C3%A4/;/", "https://xn--bcher-kva.example/a//b//",
]

SCHEMES = [""] * 6 + ["http:", "https:"] * 3 + [
    "HTTP:", "hTtPs:", "http", "ftp:", "mailto:", "javascript:", "x-y.z+1:", "1http:", "ht\ntp:", " http:", "file:", "ws:", ":", "data:",
]
SLASHES = ["", "", "/", "//", "//", "//", "///", "\\", "\\\\", "/\\", "\\/", "////", "/\t/"]
USERS = [""] * 8 + ["u@", "u:p@", ":p@", "@", ":@", "u:@", "a@b@", "ü:ß@", "a b@", "u%3a:%40@", "u^|;='[]:`{}@", "u/@", "a:b:c@"]
HOSTS = [
    "h", "HOST", "example.org", "Example.ORG.", "a.b.c", "a..b", ".a", "..", "", "", "-a-", "a_b", "a~b", "a!$&'()*+,;=b", 'a"b',
    "a`{}b", "a b", "a%20b", "a%2eb", "a%2Fb", "%41", "%zz", "a%", "a<b", "a^b", "a|b", "a\x7fb", "a\x01b", "a%00b", "a#b", "a?b",
    "xn--bcher-kva", "xn--0", "XN--A", "xn--", "xn--ls8h.la", "a" * 64, "1" * 64,
    "127.0.0.1", "127.1", "127.0.1", "0x7f.0.0.1", "0X7F.1", "0177.1", "0177.0.0.01", "2130706433", "017700000001", "0x7f000001",
    "1.2.3.4.", "1.2.3.4..", "1.2.3.4.5", "1.2.3", "256.1", "1.256", "1.65536", "1.1.65536", "4294967295", "4294967296", "0", "0x",
    "0x.0x.0", "00", "08", "1.2.3.08", "09.1", "1.2.3.256", "a.1", "a.0x1", "a.0xg", "1.a", "1..2", ".1", "1.", "1e1", "-1", "+1",
    "99999999999999999999", "0xffffffffff", "1.2.3.0x", "1.2.3.%34", "１２７.１", "1。2。3。4", "0ｘ7f.1",
    "[::1]", "[::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[1::8]", "[1:0:0:2:0:0:0:3]", "[0:0:1:0:0:1:0:0]",
    "[2001:DB8::00a0]", "[::ffff:192.168.0.1]", "[::1.2.3.4]", "[::1.2.3]", "[::1.2.3.256]", "[::1.2.3.04]", "[::01.2.3.4]",
    "[::1.2.3.4.5]", "[1.2.3.4::]", "[1.2.3.4]", "[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:7:1.2.3.4]", "[:1]", "[1:]", "[:::]", "[::1::]",
    "[12345::]", "[g::]", "[]", "[", "]", "[::1", "::1]", "[::1%25eth0]", "[::1]x", "x[::1]", "[::1]]", "[ ::1]", "[v1.x]", "[::+1.2.3.4]",
    "bücher.example", "BÜCHER.Example", "B%C3%BCcher", "faß.de", "STRASSE.de", "ς.gr", "Σ.gr", "ＬＯＣＡＬＨＯＳＴ", "loc\u00adalhost", "\u00ad",
    "a\u200bb", "例え.テスト", "例え。テスト", "a．b", "a｡b", "①.x", "½.x", "☃.net", "💩.la", "i❤.ws", "Ⅷ.x", "ǆ.x", "e\u0301.x",
    "\u0301e.x", "א.x", "אa.x", "1א.x", "א1", "ا.ا", "क्\u200dष.x", "a\u200db.x", "日本。co", "％41", "a／b", "℀", "≠", "\ufffd",
    "\ue000", "%ff", "%C3", "ü..x", "ü.", "a_ü", "a!ü", "xn--bcher-kva.ü", "xn--0.ü", "..ü", "💩ü", "\u2024", "Å.x", "K.x", "ﬁ.x",
]
PORTS = [""] * 10 + [":", ":80", ":443", ":8080", ":0", ":00080", ":65535", ":65536", ":99999999999", ":x", ":8x", ":-1", ": 80", ":８０",
                     ":80:80", ":\t8\t0"]
SEGMENTS = [
    "", "a", "b.html", ".", "..", "...", ".a", "a.", "..a", "%2e", "%2E%2e", ".%2e", "%2e.", "%2e%2", "%252e", "%2ea", "%7Euser", "~user",
    "%c3%bc", "%C3%BC", "ü", "日本", "a b", "%", "%zz", "%4", "a%41", "[x]", "{x}", "`^|", "\"<>'", "!$&()*+,;=:@", "a:b", "\x7f\x01", "💩",
    "a\\b", ". ", "a\tb", "c|", "C:", "\u00a0", "\u2028", "%00",
]
QUERIES = [""] * 5 + ["?", "?q", "?a=b&c=d", "?ü=日", "?'\"<>`{}|^[]\\", "?a b", "?%7e%zz%", "??", "?a?b", "?/../x", "?\x01\x7f", "?💩", "?a\nb"]
FRAGMENTS = [""] * 6 + ["#", "#f", "#a?b", "#ü", "#a#b", "#/../x"]
ALPHABET = "/\\:?#@[]%.&=;+ \t\n\x00\x7f\"'<>^`{|}~0x1a2eEfFüß日☃\u00ad。．％１"
LETTERS = "abzAZ019-_.äßςéèøжЖяёαωאبתاےकข日本語한글ㄱぁアｱＡａ１①²ſıİǅﬀ☃♥💩🏳\u0301\u0308\u200c\u200d\u00ad\u2060\ufe0f。．｡ªº…™℡Ω"


def drawn_host(draw):
    if draw.random() < 0.8:
        return draw.choice(HOSTS)
    return "".join(draw.choice(LETTERS) for _ in range(draw.randint(1, 6)))


def mutated(draw, text):
    for _ in range(draw.randint(1, 3)):
        at = draw.randint(0, len(text))
        kind = draw.random()
        if kind < 0.4:
            text = text[:at] + draw.choice(ALPHABET) + text[at:]
        elif kind < 0.7:
            text = text[:at] + text[at + 1:]
        else:
            text = text[:at] + draw.choice(ALPHABET) + text[at + 1:]
    return text


def drawn_reference(draw):
    authority = draw.random() < 0.6
    text = draw.choice(SCHEMES) + draw.choice(SLASHES)
    if authority:
        text += draw.choice(USERS) + drawn_host(draw) + draw.choice(PORTS)
    segments = [draw.choice(SEGMENTS) for _ in range(draw.randint(0, 5))]
    text += ("/" if authority and segments else "") + "/".join(segments)
    text += draw.choice(QUERIES) + draw.choice(FRAGMENTS)
    if draw.random() < 0.1:
        text = draw.choice([" ", "\x00", "\n ", "\x1f"]) + text + draw.choice([" ", "\t\x01", "\r\n"])
    return mutated(draw, text) if draw.random() < 0.35 else text


def ada(base, reference):
    """What the standard says, in the words of resolve-links."""
    try:
        url = ada_url.URL(reference, base=base)
    except ValueError:
        return "invalid"
    if url.protocol not in ("http:", "https:"):
        return url.protocol
    return url.href.split("#")[0]


def host_of(url):
    authority = url.split("/")[2] if url.count("/") > 2 else ""
    return authority.rsplit("@", 1)[-1].rsplit(":", 1)[0]


def is_disallowed_hyphen(label):
    return label.startswith("-") or label.endswith("-") or label[2:4] == "--"


def is_scheme(answer):
    return answer.endswith(":") and "/" not in answer


def known(reference, ours, theirs):
    """Why a difference is justified: for all of them libidn2 decides, which is asked only for hosts that are not ASCII."""
    written = unquote(reference)
    if written.isascii() or "invalid" not in (ours, theirs) or is_scheme(ours) or is_scheme(theirs):
        return None
    if theirs == "invalid":
        if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in written):
            return "libidn2 does not apply the Bidi rule to names with symbols"
        return None
    labels = host_of(theirs).split(".")
    if any(len(label) > 63 for label in labels) or len(".".join(labels)) > 253:
        return "libidn2 has the limits of DNS for lengths"
    decoded = [label[4:].encode().decode("punycode") if label.startswith("xn--") else label for label in labels]
    if any(is_disallowed_hyphen(label) for label in decoded):
        return "libidn2 checks where hyphens are"
    if any(label.startswith("xn--") and not label.replace("-", "").isalnum() for label in labels):
        return "libidn2 takes no symbols of ASCII in xn-- labels"
    if any(character in "\u00df\u03c2\u200c\u200d" for label in decoded for character in label):
        return "libidn2 takes symbols only in the transitional form, which lacks four characters"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--references", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    draw = random.Random(options.seed)
    fixed = [(base, scheme + slashes + host + port) for base in BASES[:2] for host in HOSTS
             for scheme, slashes, port in [("http:", "//", ""), ("", "//", ":81"), ("https:", "/", "/x")]]
    fixed += [(base, segment + query) for base in BASES for segment in SEGMENTS for query in set(QUERIES)]
    drawn = [(draw.choice(BASES), drawn_reference(draw)) for _ in range(max(0, options.references - len(fixed)))]
    links = fixed + drawn
    lines = "".join(json.dumps({"base": base, "reference": reference}) + "\n" for base, reference in links)
    done = subprocess.run([options.tool], input=lines, capture_output=True, text=True, check=True)
    answers = done.stdout.splitlines()
    assert len(answers) == len(links), f"{len(answers)} answers to {len(links)} references"
    kinds, reasons, wrong = Counter(), Counter(), []
    for (base, reference), ours in zip(links, answers):
        theirs = ada(base, reference)
        # Of other schemes, Site Audit knows the name alone.
        if ours == theirs or theirs == "invalid" and is_scheme(ours):
            kinds["invalid" if ours == "invalid" else "other scheme" if is_scheme(ours) else "http and https"] += 1
        elif reason := known(reference, ours, theirs):
            reasons[reason] += 1
        else:
            wrong.append((base, reference, ours, theirs))
    for base, reference, ours, theirs in wrong[:20]:
        print(f"{reference!a} on {base}: {ours!r}, but by Ada {theirs!r}")
    print(f"{len(links)} references, {sum(kinds.values())} agree: {dict(kinds)}; known differences: {dict(reasons)}; "
          f"others: {len(wrong)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
