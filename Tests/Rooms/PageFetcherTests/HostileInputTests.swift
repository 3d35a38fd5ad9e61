import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Hostile pages", .ownThread)
struct HostileInputTests {
    @Test("ten thousand broken pages: no crash, and lines within the page", arguments: [1, 2, 3, 4] as [UInt64])
    func mutations(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<2_500 {
            let bytes = random.mutated(Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)])
            let charset = Self.charsets[Int.random(in: 0..<Self.charsets.count, using: &random)]
            let page = page(bytes, charset: charset)
            let lines = 1 + bytes.count { $0 == 0x0A }
            #expect(page.links.allSatisfy { (1...lines).contains($0.line) }, "seed \(seed): \(bytes)")
        }
    }

    private static let charsets: [String?] = [
        nil, nil, "utf-8", "iso-8859-1", "shift_jis", "gb18030", "iso-2022-jp", "x",
    ]

    private static let seeds: [[UInt8]] =
        (ExtractionTests.documents + ExtractionTests.resources + ExtractionTests.notLinks
        + ExtractionTests.lines.prefix(6))
        .map { Array($0.html.utf8) }
        + [
            "<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a href='&x;'>&x;</a>",
            "<?php <a> ?><![CDATA[<a href=x>]]>",
        ]
        .map { Array($0.utf8) }

    @Test("a tag with a million attributes", .patient)
    func attributes() {
        let many = (0..<1_000_000).map { " a\($0)" }.joined()
        #expect(page("<a href=before></a><p\(many)><a\(many) href=after>").links.map(\.written) == ["before", "after"])
    }

    @Test(
        "much of what begins something that never ends", .patient,
        arguments: [
            "<", "</", "<!", "<!-", "<!--", "<!--->", "<!--!", "<![CDATA[", "<svg><![CDATA[x]", "<svg><![CDATA[]>",
            "<?", "<a ", "<a =", "<a b='", "<a b=\"",
            "<a b=c/", "&", "<a b=&a", "<a b='&#", "<a b='&#9", "<a b='&CounterClockwiseContourIntegral", "<svg>",
            "<svg><desc>", "<math></svg>",
            "<svg><template></svg>", "<template>", "</template>", "<svg></math><math></svg>", "<math><annotation-xml>",
            "</p",
            "<title></titl", "<script><!--", "<script><!--<script ", "<script><!--<script></script ", "<script>--",
            "<textarea></textarea", "<plaintext><",
            "\r", "<p\r", "<meta charset=", "<picture><source srcset=',", "<a href='&amp;&amp",
        ])
    func unended(_ piece: String) {
        let many = String(repeating: piece, count: 300_000 / piece.utf8.count)
        for html in [many, piece + String(repeating: "<", count: 300_000)] {
            // A quadratic reader needs hours.
            #expect(ContinuousClock().measure { _ = page(html) } < .seconds(60))
        }
    }

    @Test("wrong end tags below a million open elements", .patient)
    func endTags() {
        let html =
            "<a href=x></a>" + String(repeating: "<b>", count: 1_000_000) + String(repeating: "</i>", count: 1_000_000)
        #expect(page(html).links.count == 1)
    }

    @Test("a million nested elements around a link", .patient)
    func nesting() {
        let html =
            String(repeating: "<div>", count: 1_000_000) + "<a href=x>" + String(repeating: "</div>", count: 1_000_000)
        #expect(page(html).links.map(\.written) == ["x"])
    }

    @Test("an attribute of a megabyte keeps its link, and the links behind it")
    func longAttribute() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(page("<a href='\(long)'></a>\n<a href=y>").links.map(\.line) == [1, 2])
    }

    @Test("a hundred thousand links")
    func manyLinks() {
        let html = (0..<100_000).map { "<a href=p\($0)>x</a>\n" }.joined()
        #expect(page(html).links.last?.line == 100_000)
    }

    @Test("entities of a document type are not expanded, and nothing is read from disk")
    func entities() {
        let html = "<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a href='&x;'>"
        #expect(page(html).links.map(\.written) == ["&x;"])
    }
}

/// A small seeded generator (splitmix64), so that a failing input can be made again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// `bytes` with a few bytes changed, cut, doubled or thrown in.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0...6, using: &self) {
            let at = Int.random(in: 0...bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &self), at: at)
            case 1: bytes.insert(contentsOf: Array("<\"'>=&;!-/\0 \n".utf8).shuffled(using: &self).prefix(3), at: at)
            case 2 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &self)
            case 3 where at < bytes.count: bytes.removeSubrange(at..<min(bytes.count, at + 5))
            case 4: bytes.insert(contentsOf: bytes.prefix(at), at: at)
            default: bytes = Array(bytes.prefix(at)) + bytes.prefix(at)
            }
        }
        return bytes
    }
}
