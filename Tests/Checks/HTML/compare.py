"""Compares the start tags that html-links (Swift) and html5lib find in the same pages."""

import argparse
import base64
import json
import pathlib
import random
import re
import subprocess
import sys
import types

from html5lib import _tokenizer, html5parser

WANTED = ["href", "src", "id", "name", "class", "content", "title", "data", "xlink:href"]

# Put together at random: what changes the tokenizer's state, and what ends it.
PIECES = r"""
<a href=x>| href=x|<a href='x y'>|<a\nhref="x">|<A HREF=X/>|<a href=x/>|<a/href=x>|<a x=y'href=z>|<a href>|<a href=>|<a href = x >|<a =href=x>
<a href=x href=y>|<a href="x"id='y'>|<a href=x?a&amp;b&copy=1&copy;&copy>|<a href='&notit;&notin;&not' id=&#x80;&#0;&#xD800;&#99999999999;&#x;>
<a href="a\r\nb">|<img src=x id='<a href=y>'>|<p id="a>b">|<p title='-->' class=x>|<p <a href=x>|<p/ id=x / >|<br/>|</p>|</a>|</a href=x>|<P>
<!--|-->| --> |--!>|->| > |<!-->|<!--->|<!--!>|<!-- <!--|<!|<?|</|</>|<>|<|<!doctype html>|<!DOCTYPE x '>' ">|<![CDATA[|]]>|]>|<!-
<title>|</title>|</TITLE >|<textarea>|</textarea>|<style>|</style>|<xmp>|</xmp>|<iframe src=x>|</iframe>|<noembed>|</noembed>|<noframes>|</noframes>
<script>|</script>|</script/>|<script src=x>|<script/|</script|<SCRIPT >|</scripty>|<plaintext>|<noscript>|</noscript>|</titl|</title/|<template>
<script><!--|<script><!-- <script>|<script><!--<script></script>|<script><!-- <script |</template>|<title><a href=x>
'|"| = |/|&|&amp|&lt;|&#60;|&nGt;|&frac12x|&#128|&hellip;=| x |1|-|!|\n|\r\n|\t| |é|\u2028|\ufffd|<é>|<1>|<->|<a\x0c|<a\x0b>|<table>|<td>|</table>|<div>|</div>
""".strip().replace("\n", "|").encode("latin-1", "backslashreplace").decode("unicode-escape").split("|")

# Where SVG and MathML, which a tokenizer without a tree can only follow in part, come out as with a tree.
FOREIGN = """
<svg><title><a href=x></title></svg><title><a href=y></title>
<svg><style><a href=x></style><script><a href=y></script></svg><style><a href=z></style>
<svg><![CDATA[><a href=x>]]><a href=y></svg><![CDATA[><a href=z>]]>
<svg/><title><a href=x></title>
<svg><p><title><a href=x></title>
<svg><font><style><a href=x></style></svg>
<svg><font size=1><style><a href=x></style></svg>
<svg><foreignObject><title><a href=x></title></foreignObject><style><a href=y></style></svg><style><a href=z></style>
<svg><desc><style><a href=x></style></desc><style><a href=y></style></svg>
<svg><title><style><a href=x></style></title></svg>
<svg><desc/><style><a href=x></style></svg>
<svg><svg></svg><style><a href=x></style></svg><style><a href=y></style>
<math><mi><title><a href=x></title></mi><title><a href=y></title></math>
<math><mtext><![CDATA[><a href=x>]]></mtext><mo><b><![CDATA[><a href=y>]]></b></mo></math>
<math><annotation-xml><title><a href=x></title></math><title><a href=y></title>
<math><annotation-xml encoding="Text/HTML"><title><a href=x></title></annotation-xml></math>
<math><annotation-xml><svg><title><xmp><a href=x></xmp></title></svg></annotation-xml></math><xmp><a href=y></xmp>
<svg><desc><svg><style><a href=x></style></svg><style><a href=y></style></desc></svg><style><a href=z></style>
<div><svg></div><title><a href=x></title>
<svg></math><title><a href=x></title></svg>
<math><svg><title><a href=x></title></svg></math>
<svg><math><mi><style><a href=x></style></mi></math></svg>
<svg><a xlink:href=x><text><tspan></a></svg><title><a href=y></title>
""".strip().split("\n")

# html5lib 1.1 keeps the insertion modes "in select" and "in frameset", in which elements that hold text are dropped. The
# first is gone from the standard; the second cannot be followed without a tree.
UNCOMPARED = re.compile(r"<(select|frameset)\b", re.IGNORECASE)


class RecordingTokenizer(_tokenizer.HTMLTokenizer):
    """html5lib's tokenizer, with a record of the start tags."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.found = []

    def tagOpenState(self):
        self.line = self.stream.position()[0]
        return super().tagOpenState()

    def emitCurrentToken(self):
        super().emitCurrentToken()
        token = self.currentToken
        if token["type"] == _tokenizer.tokenTypes["StartTag"]:
            values = {name: token["data"][name] for name in WANTED if name in token["data"]}
            self.found.append({"name": token["name"], "line": self.line, "attributes": values})


def expected(page):
    """The start tags by html5lib, whose tree decides on the elements that hold text."""
    parser = html5parser.HTMLParser()
    parser.parse(page)
    return parser.tokenizer.found


def mutated(random, page):
    """The page with a few characters changed, moved or doubled."""
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(page))
        end = min(len(page), start + random.randint(0, 12))
        page = random.choice([
            page[:start] + page[end:],
            page[:start] + random.choice(PIECES) + page[start:],
            page[:start] + random.choice("<>\"'=/-!& \r\n\t\x00a") + page[start + 1:],
            page[:end] + page[start:],
            page[:start] + page[end:] + page[start:end],
        ])
    return page


def pages(random, folders, number):
    """Real pages, and pages that are made of them and of pieces."""
    files = [file for folder in folders for file in sorted(pathlib.Path(folder).rglob("*.html"))]
    real = [file.read_bytes().decode("utf-8", "replace") for file in files]
    yield from real
    yield from FOREIGN
    short = [page for page in real if len(page) < 20_000]
    for turn in range(number):
        if turn % 10 == 0 and short:
            yield mutated(random, random.choice(short))
        else:
            page = "".join(random.choice(PIECES) for _ in range(random.randint(1, 14)))
            yield mutated(random, page) if turn % 2 else page


def without_lines(tags):
    return [(tag["name"], tag["attributes"]) for tag in tags]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--reader", required=True)
    options.add_argument("--pages", action="append", default=[])
    options.add_argument("--number", type=int, required=True)
    options.add_argument("--seed", type=int, required=True)
    options = options.parse_args()
    print(f"seed {options.seed}")
    html5parser._tokenizer = types.SimpleNamespace(HTMLTokenizer=RecordingTokenizer)

    # PageText hands over no NUL.
    made = pages(random.Random(options.seed), options.pages, options.number)
    compared = [page.replace("\0", "\ufffd") for page in made if not UNCOMPARED.search(page)]
    lines = "".join(base64.b64encode(page.encode("utf-8", "replace")).decode() + "\n" for page in compared)
    answer = subprocess.run([options.reader], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    found = [json.loads(line) for line in answer.splitlines()]
    assert len(found) == len(compared), "html-links must answer each page"

    tags, differing = 0, 0
    for page, ours in zip(compared, found):
        theirs = expected(page)
        tags += len(theirs)
        if re.search("\r(?!\n)", page):  # For html5lib a carriage return alone ends a line, too.
            ours, theirs = without_lines(ours), without_lines(theirs)
        if ours != theirs:
            differing += 1
            if differing <= 10:
                print(f"differs: {page[:2000]!r}\n  ours   {ours[:20]}\n  theirs {theirs[:20]}")
    print(f"{len(compared) - differing} of {len(compared)} pages agree, {tags} start tags")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
