import SiteAudit
import Testing

/// Host names and addresses in all spellings that browsers read (https://url.spec.whatwg.org/#host-parsing).
@Suite struct HostTests {
    private func host(_ written: String) -> String? {
        WebURL("http://\(written)/").map { String($0.origin.dropFirst("http://".count)) }
    }

    @Test(
        arguments: [
            ("EXAMPLE.Org.", "example.org."), ("%65xample.org", "example.org"), ("a_b~c", "a_b~c"),
            ("a!$&'()*+,;=b", "a!$&'()*+,;=b"), ("a..b", "a..b"),
            // The standard leaves the limits of DNS to DNS.
            (String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
            // forbidden, as they are or as escapes
            ("a b", nil as String?), ("a<b", nil), ("a^b", nil), ("a|b", nil), ("a%20b", nil), ("a%2Fb", nil),
            ("a%00b", nil), ("a%", nil),
            ("a%3Ab", nil), ("a%zz", nil), ("a\u{7F}b", nil),
        ])
    func names(written: String, expected: String?) {
        #expect(host(written) == expected)
    }

    /// UTS 46, non-transitional.
    @Test(
        arguments: [
            ("Bücher.example", "xn--bcher-kva.example"), ("B%C3%BCCHER.example", "xn--bcher-kva.example"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("a．b｡c", "a.b.c"),
            ("ＬＯＣＡＬＨＯＳＴ", "localhost"), ("loc\u{AD}alhost", "localhost"), ("①.x", "1.x"), ("e\u{301}.x", "xn--9ca.x"),
            ("faß.de", "xn--fa-hia.de"), ("ς.gr", "xn--3xa.gr"), ("क्\u{200D}ष.x", "xn--11b2ezcw70k.x"),
            ("☃.net", "xn--n3h.net"), ("I❤.ws", "xn--i-7iq.ws"), ("a_ü!.x", "xn--a_!-ioa.x"), ("ü..x.", "xn--tda..x."),
            ("１２７．１", "127.0.0.1"),
            // names in ASCII are not looked into
            ("XN--Bcher-KVA", "xn--bcher-kva"), ("xn--0", "xn--0"), ("xn--ls8h.la", "xn--ls8h.la"),
            ("\u{AD}", nil as String?), ("a\u{200D}b.x", nil), ("1א.x", nil), ("\u{301}e.x", nil), ("％41", nil),
            ("℀", nil),
            ("a／b", nil), ("\u{FFFD}", nil), ("%ff", nil), ("xn--0.ü", nil), ("ü%00", nil),
        ])
    func internationalNames(written: String, expected: String?) {
        #expect(host(written) == expected)
    }

    @Test(
        arguments: [
            ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("0x7f.0.0.1", "127.0.0.1"), ("0X7F.1", "127.0.0.1"),
            ("0177.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("017700000001", "127.0.0.1"),
            ("0x7F000001", "127.0.0.1"),
            ("1.2.3.4.", "1.2.3.4"), ("%31.2.3.4", "1.2.3.4"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"), ("256", "0.0.1.0"),
            ("1.65535", "1.0.255.255"), ("4294967295", "255.255.255.255"),
            // a number at the end makes it an address, possible or not
            ("4294967296", nil as String?), ("99999999999999999999", nil), ("256.1", nil), ("1.2.3.256", nil),
            ("1.2.65536", nil),
            ("1.2.3.4.5", nil), ("1..2", nil), (".1", nil), ("08", nil), ("1.2.3.09", nil), ("a.1", nil),
            ("a.0x1.", nil),
            ("1.a", "1.a"), ("1e1", "1e1"), ("a.0xg", "a.0xg"), ("1.2.3.4..", "1.2.3.4.."), ("-1", "-1"),
        ])
    func ipv4(written: String, expected: String?) {
        #expect(host(written) == expected)
    }

    @Test(
        arguments: [
            ("[2001:DB8:0:0:0:0:0:1]:8080", "[2001:db8::1]:8080"), ("[::1]", "[::1]"), ("[::]", "[::]"),
            ("[1::]", "[1::]"),
            ("[::ffff:192.168.0.1]", "[::ffff:c0a8:1]"), ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"),
            ("[1:0:0:2:3:0:0:4]", "[1::2:3:0:0:4]"), ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
            ("[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"), ("[00a0::]", "[a0::]"),
            ("[1:2]", nil as String?), ("[12345::]", nil), ("[1:2:3:4:5:6:7:8:9]", nil), ("[::1.2.3.400]", nil),
            ("[::1.2.3]", nil),
            ("[::1.2.3.04]", nil), ("[::+1.2.3.4]", nil), ("[1.2.3.4::]", nil), ("[1.2.3.4]", nil), ("[::1", nil),
            ("[::1]x", nil),
            ("[]", nil), ("[:1]", nil), ("[:::]", nil), ("[1::2::3]", nil), ("[::1%25eth0]", nil), ("%5B::1%5D", nil),
            ("[g::]", nil),
        ])
    func ipv6(written: String, expected: String?) {
        #expect(host(written) == expected)
    }
}
