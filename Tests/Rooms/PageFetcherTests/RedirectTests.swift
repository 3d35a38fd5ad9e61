import PageFetching
import Testing

/// Where the bytes of a `Location` lead.
@Suite struct RedirectTests {
    private func target(_ location: some Sequence<UInt8>) -> String? {
        Array(location).withUnsafeBytes { Addresses.redirect($0, from: "http://h/d/p?q#f") }
    }

    /// Bytes go out as they came in, whatever their encoding.
    @Test func bytesStay() {
        #expect(target([0x2F, 0x63, 0x61, 0x66, 0xE9]) == "http://h/caf%E9")
        #expect(target("/café/ü".utf8) == "http://h/caf%C3%A9/%C3%BC")
        #expect(target("/caf%c3%a9/%7E?é".utf8) == "http://h/caf%c3%a9/%7E?%C3%A9")
        #expect(target("/with space/x".utf8) == "http://h/with%20space/x")
    }

    @Test(
        arguments: [
            ("sub/page", "http://h/d/sub/page"), ("  /plain \t", "http://h/plain"), ("?x", "http://h/d/p?x"),
            ("", "http://h/d/p?q"), ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("//x:81", "http://x:81/"),
            ("/x#part ", "http://h/x#part"), ("/x#ö", "http://h/x#%C3%B6"), ("mailto:a@b", nil as String?),
            ("http://", nil),
        ])
    func resolved(location: String, expected: String?) {
        #expect(target(location.utf8) == expected)
    }
}
