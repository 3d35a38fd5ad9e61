import PageFetching
import SiteAudit
import Testing

@Suite("The tokenizer of HTML")
struct TokenizerTests {
    @Test(
        "elements that hold text: a tag in them is none",
        arguments: [
            "<xmp>N</xmp>L", "<iframe>N</iframe>L", "<noembed>N</noembed>L", "<noframes>N</noframes>L",
            "<style>N</style>L",
            "<textarea>N</textarea>L", "<title>N</title>L", "<script>N</script>L", "L<plaintext>N</plaintext>N",
            "<Title>N</titlE >L", "<title/>N</title/>L", "<title>N</title x='>'>L",
            "<title>N</titles>N</ title>N</title>L",
            "<title>N</title", "<xmp>N</xm></xmp\n>L", "<title>N<!-- </title>L<!-- -->", "<style><!-- N </style>L",
            "<noscript>L</noscript>L",
        ])
    func text(_ html: String) { expectLinks(html) }

    @Test(
        "script: a comment in it may hold a script",
        arguments: [
            "<script>N<!-- N </script>L", "<script><!-- <script>N</script>N</script>L",
            "<script><!-- <script>N --> </script>L",
            "<script><!--> <script>N</script>L", "<script><!---> <script></script>L", "<script><!-- <script</script>L",
            "<script><!-- <scripts>N</script>L", "<script><!-- <script/>N</script/>N</script>L",
            "<script><!-- <script>N</script>N<script>N</script>N--></script>L",
            "<script><!-- --><!-- <script>N</script>N</script>L",
            "<script><!- <script>N</script>L", "<SCRIPT><!-- <Script>N</sCript >N</scripT\n>L",
            "<script><!-- <script>N</script>N",
            "<script>--><script>N</script>L",
        ])
    func script(_ html: String) { expectLinks(html) }

    @Test(
        "comments and declarations",
        arguments: [
            "<!-->L<!-- -->", "<!--->L<!-- -->", "<!-- N --!>L", "<!-- N --->L", "<!-- N <!-- N -->L-->L",
            "<!-- <!-->L", "<!-- - -> N -- > N -->L",
            "<!--!> N -->L", "<!---!> N -->L", "<!----!>L", "<!-- N --!-->L", "<!-- N --!N-->L", "<!-- N", "<!- x '>L",
            "<!x '>L",
            "<!>L", "<!doctype html '>L", "<!DOCTYPE x [<!entity y '>L", "<?xml x?>L", "<?>L", "</ x>L", "</>L",
            "</?x>L",
            "<![CDATA[ x>L", "<%L", "<1 L", "< L", "<L", "<-L",
        ])
    func comments(_ html: String) { expectLinks(html) }

    @Test(
        "SVG and MathML hold markup where HTML holds text",
        arguments: [
            "<svg><title>L</title></svg>L", "<svg><style>L</style></svg>", "<svg><script>L</script></svg>",
            "<svg><xmp>L</svg>",
            "<svg><![CDATA[ > N ]]>L</svg>", "<math><mtext><![CDATA[ > N ]] N ]]>L</math>",
            "<math><mtext><b><![CDATA[ >L]]></math>", "<svg/><title>N</title>L",
            "<svg></svg><title>N</title>L",
            "<svg><p><title>N</title>L", "<svg><font><style>L</style></svg>", "<svg><font color=x><title>N</title>L",
            "<svg><foreignObject><title>N</title>L</foreignObject><style>L</style></svg><style>N</style>L",
            "<svg><desc><style>N</style>L</desc><style>L</style></svg>", "<svg><title><style>N</style>L</title></svg>",
            "<svg><desc/><style>L</style></svg>", "<svg><svg></svg><style>L</style></svg><style>N</style>L",
            "<math><mi><title>N</title>L</mi><title>L</title></math>",
            "<math><annotation-xml><title>L</title></math><title>N</title>L",
            "<math><annotation-xml encoding='Text/Html'><title>N</title>L</annotation-xml></math>",
            "<math><annotation-xml><svg><title><xmp>N</xmp>L</title></svg></annotation-xml></math><xmp>N</xmp>L",
            "<svg><desc><svg><style>L</style></svg><style>N</style></desc></svg><style>N</style>L",
            "<div><svg></div><title>N</title>L", "<svg></p><title>N</title>L", "<svg></math><title>L</title></svg>",
            "<svg><desc></svg><title>N</title>L",
        ])
    func foreign(_ html: String) { expectLinks(html) }

    @Test(
        "templates",
        arguments: [
            "<template>N", "</template>L<template>N</template>L", "<template>N<template>N</template>N</template>L",
            "<template>N<svg></template><title>N</title>L", "<template/>N</template>L",
            "<svg><template>L</template></svg>L",
            "<template><title></template>N</title>N</template>L",
            "<template shadowrootmode=open>L<template>N</template>L</template>L",
            "<svg><desc><template>N</template>L</desc></svg>", "<template><p></div></template></template></template>L",
        ])
    func templates(_ html: String) { expectLinks(html) }

    @Test(
        "attributes",
        arguments: [
            ("<a href=x href=y>", ["x"]), ("<a HREF = 'x'>", ["x"]), ("<a/href=x/>", ["x/"]),
            ("<a x=y href='x'href='y'>", ["x"]),
            ("<a x='>' href=x>", ["x"]), ("<a href=\"'\">", ["'"]), ("<a href=x'y>", ["x'y"]),
            ("<a href=x\"y=z>", ["x\"y=z"]),
            ("<a href= >", [""]), ("<a href=>", [""]), ("<a href\n>", [""]), ("<a =href=y href=x>", ["x"]),
            ("<a =href=y>", []),
            ("<a x=href= href=x>", ["x"]), ("<a href==x>", ["=x"]), ("<a href='a\r\nb\rc'>", ["a\nb\nc"]),
            ("<a \"href=y href=x>", ["x"]),
            ("<a <href=y href=x>", ["x"]), ("<a href=x", []), ("<a href='x>", []), ("<a href=x/", []),
            ("<a href=x /", []),
            ("<a\u{C}href=x>", ["x"]), ("<a\u{B}href=x>", []), ("<a:b href=x>", []), ("<ab href=x>", []),
            ("</a href=x>", []),
            ("<a hr\0ef=y>", []), ("<\0a href=y>", []), ("<a href=x\0>", ["x\u{FFFD}"]),
            ("<lin\u{212A} rel=next href=x>", []),
        ] as [(String, [String])])
    func attributes(_ html: String, _ written: [String]) {
        #expect(page(html).links.map(\.written) == written)
    }

    @Test(
        "character references",
        arguments: [
            ("&sol;one", "/one"), ("a&period;b", "a.b"), ("a&lowbar;b", "a_b"), ("&num;x", "#x"),
            ("http&colon;&sol;&sol;b", "http://b"),
            ("x&copy=2", "x&copy=2"), ("x&copy;=2", "x©=2"), ("x&copy2", "x&copy2"), ("x&copy", "x©"),
            ("x&copy-", "x©-"), ("x&copy/=", "x©/="),
            ("&amp;amp;", "&amp;"), ("&ampy", "&ampy"), ("&AMP", "&"), ("&Amp;", "&Amp;"), ("&notin;", "∉"),
            ("&notit;", "&notit;"), ("&not;it", "¬it"),
            ("&notin", "&notin"), ("&eacute", "é"), ("&there4;", "∴"), ("&frac12", "½"), ("&nGt;", "≫⃒"),
            ("&NotEqualTilde;", "≂̸"), ("&fjlig;", "fj"),
            ("&CounterClockwiseContourIntegral;", "∳"),
            ("&CounterClockwiseContourIntegralx;", "&CounterClockwiseContourIntegralx;"),
            ("&Tab;a&NewLine;b", "\ta\nb"), ("&", "&"), ("&&", "&&"), ("&;", "&;"), ("&x;", "&x;"), ("&amp", "&"),
            ("&amp=", "&amp="),
            ("&#47;", "/"), ("&#x2F;", "/"), ("&#X2fx", "/x"), ("&#47x", "/x"), ("&#047=", "/="), ("&#;", "&#;"),
            ("&#x;", "&#x;"), ("&#xg", "&#xg"),
            ("&#", "&#"), ("&#128;", "€"), ("&#x9F;", "Ÿ"), ("&#x81;x", "\u{81}x"), ("&#0;", "\u{FFFD}"),
            ("&#xD800;", "\u{FFFD}"), ("&#x110000;", "\u{FFFD}"),
            ("&#99999999999999999999999999;", "\u{FFFD}"), ("&#x1F600;", "😀"), ("&#xFFFF;", "\u{FFFF}"),
            ("x&#13;y", "x\ry"),
        ])
    func references(_ written: String, _ value: String) {
        #expect(page("<p id=\"\(written)\">").anchors == [value])
    }

    @Test("every named reference of the standard, with and without semicolon")
    func table() {
        #expect(NamedReferences.all.count == 2_125)
        #expect(NamedReferences.withoutSemicolon.count == 106)
        #expect(NamedReferences.all.keys.allSatisfy { (2...31).contains($0.utf8.count) })
        let sizes = NamedReferences.withoutSemicolon.keys.map(\.utf8.count)
        #expect(sizes.allSatisfy(NamedReferences.lengthsWithoutSemicolon.contains))
        // FNV-1a over the sorted table, as Python's html.entities.html5 has it.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for (name, text) in NamedReferences.all.sorted(by: { $0.key < $1.key }) {
            for byte in (name + text).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        #expect(hash == 0x36db_9a8f_c760_bed1)
    }

    /// In `html`, `L` stands for a link that is to be found and `N` for one that is not.
    private func expectLinks(_ html: String) {
        let count = html.count { $0 == "L" }
        let text = html.replacing("L", with: "<a href=yes>").replacing("N", with: "<a href=no>")
        #expect(page(text).links.map(\.written) == Array(repeating: "yes", count: count), "\(text)")
    }
}
