#!/usr/bin/env python3
"""Writes the text and links of each page of a DocC archive into its HTML, for readers without JavaScript and for crawlers.

DocC's own option for this (--experimental-transform-for-static-hosting-with-content) crashes on lists of terms in Swift 6.3.

usage: static.py ARCHIVE START    START: the path of the page that / leads to, such as documentation/mobiusfleet
"""
import html
import json
import pathlib
import re
import sys


class Page:
    """One page, as DocC has rendered it: a tree of nodes, and the pages that it refers to."""

    def __init__(self, node):
        self.node = node
        self.references = node.get("references", {})

    def body(self):
        title = self.node.get("metadata", {}).get("title", "")
        parts = [self.path(), f"<h1>{html.escape(title)}</h1>", f"<p>{self.all(self.node.get('abstract'))}</p>"]
        parts += [self.block(section) for section in self.node.get("primaryContentSections") or []]
        for name in ("relationshipsSections", "defaultImplementationsSections", "topicSections", "seeAlsoSections"):
            for section in self.node.get(name) or []:
                parts.append(self.heading(3, section.get("title", ""), section.get("anchor")))
                parts.append(self.links(section.get("identifiers", [])))
        return "\n".join(part for part in parts if part)

    def path(self):
        paths = self.node.get("hierarchy", {}).get("paths") or [[]]
        return f"<p>{' / '.join(self.link(name) for name in paths[0])}</p>" if paths[0] else ""

    def links(self, names):
        items = "".join(f"<li>{self.link(name)} {self.all(self.reference(name).get('abstract'))}</li>" for name in names)
        return f"<ul>{items}</ul>"

    def reference(self, name):
        return self.references.get(name, {})

    def link(self, name, text=None):
        reference = self.reference(name)
        text = text or html.escape(reference.get("title") or name.rsplit("/", 1)[-1])
        url = reference.get("url")
        return f'<a href="{html.escape(folder(url))}">{text}</a>' if url else text

    @staticmethod
    def heading(level, text, anchor):
        name = f' id="{html.escape(anchor)}"' if anchor else ""
        return f"<h{level}{name}>{html.escape(text)}</h{level}>"

    def all(self, nodes):
        return "".join(self.block(node) for node in nodes or [])

    def block(self, node):
        """The HTML of a node; of one of a kind that is not named here, that of all nodes inside."""
        kind = node.get("type") or node.get("kind")
        if kind == "text":
            return html.escape(node.get("text", ""))
        if kind == "codeVoice":
            return f"<code>{html.escape(node.get('code', ''))}</code>"
        if kind == "reference":
            text = self.all(node.get("overridingTitleInlineContent")) or None
            return self.link(node["identifier"], text) if node.get("isActive", True) else text or self.link("", "")
        if kind == "link":
            return f'<a href="{html.escape(node["destination"])}">{html.escape(node.get("title", ""))}</a>'
        if kind == "image":
            variants = self.reference(node["identifier"]).get("variants") or [{}]
            alt = self.reference(node["identifier"]).get("alt") or ""
            return f'<img src="{html.escape(variants[0].get("url", ""))}" alt="{html.escape(alt)}">'
        if kind == "heading":
            return self.heading(node.get("level", 2), node.get("text", ""), node.get("anchor"))
        if kind == "codeListing":
            return "<pre><code>" + html.escape("\n".join(node.get("code", []))) + "</code></pre>"
        if kind == "table":
            rows = ("".join(f"<td>{self.all(cell)}</td>" for cell in row) for row in node.get("rows", []))
            return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
        if kind == "declarations":
            declarations = node.get("declarations", [])
            tokens = ("".join(token.get("text", "") for token in one.get("tokens", [])) for one in declarations)
            return "".join(f"<pre><code>{html.escape(text)}</code></pre>" for text in tokens)
        if kind == "mentions":
            return self.links(node.get("mentions", []))
        tags = {
            "paragraph": "p", "emphasis": "em", "strong": "strong", "unorderedList": "ul", "orderedList": "ol",
            "aside": "blockquote", "termList": "dl",
        }
        return self.wrapped(tags.get(kind), self.children(node))

    def children(self, node):
        text = f"<code>{html.escape(node['name'])}</code> " if isinstance(node.get("name"), str) else ""
        for key, value in node.items():
            if key == "items" and node.get("type") in ("unorderedList", "orderedList"):
                text += "".join(f"<li>{self.all(item.get('content'))}</li>" for item in value)
            elif key == "term":
                text += f"<dt>{self.all(value.get('inlineContent'))}</dt>"
            elif key == "definition":
                text += f"<dd>{self.all(value.get('content'))}</dd>"
            elif key in ("content", "inlineContent", "items", "parameters", "columns", "tabs"):
                text += self.all([item for item in value if isinstance(item, dict)])
        return text

    @staticmethod
    def wrapped(tag, text):
        return f"<{tag}>{text}</{tag}>" if tag else text


def folder(url):
    """Pages are folders with an index.html: the slash saves a redirection."""
    if not url.startswith("/documentation"):
        return url
    path, mark, anchor = url.partition("#")
    return path.rstrip("/") + "/" + mark + anchor


def main():
    archive, start = pathlib.Path(sys.argv[1]), sys.argv[2]
    count = 0
    for data in sorted(archive.glob("data/documentation/**/*.json")):
        place = archive / data.relative_to(archive / "data").with_suffix("") / "index.html"
        if not place.exists():
            continue
        page = Page(json.loads(data.read_text(encoding="utf-8")))
        title = page.node.get("metadata", {}).get("title", "")
        text = place.read_text(encoding="utf-8")
        text = re.sub(r"<title>.*?</title>", lambda _: f"<title>{html.escape(title)}</title>", text, flags=re.S)
        text, found = re.subn(
            r"<noscript>.*?</noscript>", lambda _: f"<noscript>{page.body()}</noscript>", text, count=1, flags=re.S)
        if not found:
            sys.exit(f"static.py: {place} has no <noscript>: DocC's template has changed.")
        place.write_text(text, encoding="utf-8")
        count += 1
    if not (archive / start / "index.html").exists():
        sys.exit(f"static.py: there is no page {start}.")
    (archive / "index.html").write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mobius Fleet</title>'
        f'<meta http-equiv="refresh" content="0; url=/{start}/"></head>'
        f'<body><a href="/{start}/">Mobius Fleet</a></body></html>\n', encoding="utf-8")
    print(f"{count} pages")


main()
