import MobiusTransport
import Testing

struct AllowListTests {
    private let ada = PublicKey.any()
    private let ben = PublicKey.any()

    private func list(_ lines: String...) throws -> AllowList {
        try AllowList(text: lines.joined(separator: "\n"), path: "allowed")
    }

    private func complaint(_ lines: String...) -> String? {
        #expect(throws: KeyError.self) {
            try AllowList(text: lines.joined(separator: "\n"), path: "allowed")
        }?.message
    }

    @Test func whoIsListedMayDoWhatIsWrittenAndNothingElse() throws {
        let list = try list(
            "# people", "", "ada \(ada) worker=fetchers,writers client=send", "\tben  \(ben)\tworker=*\r")
        let first = try #require(list[publicKey: ada])
        #expect(first.name == "ada")
        #expect(first.rights.pools.contains("writers"))
        #expect(!first.rights.pools.contains("bank"))
        #expect(first.rights.client == [.send])
        let second = try #require(list[publicKey: ben])
        #expect(second.rights.pools.contains("anything"))
        #expect(second.rights.client == [])
        #expect(list[publicKey: PublicKey.any()] == nil)
        #expect(try AllowList(text: "", path: "allowed").entries == [])
    }

    @Test func whatMakesNoSenseIsNamedByItsLine() {
        #expect(complaint("", "ada") == "allowed:2: a line has a name, a public key and rights.")
        #expect(complaint("ada short worker=a")?.hasPrefix("allowed:1: the second word is no public key") == true)
        #expect(complaint("ada \(ada)")?.hasPrefix("allowed:1: it has no rights") == true)
        #expect(complaint("ada \(ada) worker=")?.contains("1 to 255 bytes") == true)
        #expect(complaint("ada \(ada) worker=a,*")?.contains("cannot be named in an allow-list") == true)
        #expect(complaint("ada \(ada) client=all")?.contains("'all' is no right of a client") == true)
        #expect(complaint("ada \(ada) root")?.contains("'root' is no right") == true)
        #expect(complaint("ada \(ada) worker=a worker=b") == "allowed:1: worker= is there twice.")
        #expect(complaint("../ada \(ada) worker=a")?.hasPrefix("allowed:1: '../ada' is no name") == true)
        #expect(complaint("coordinator \(ada) worker=a")?.contains("is no name") == true)
        #expect(
            complaint("ada \(ada) worker=a", "# two", "ada \(ben) worker=b")
                == "allowed:3: the name 'ada' is in line 1 already.")
        #expect(complaint("ada \(ada) worker=a", "ben \(ada) worker=b") == "allowed:2: this key is in line 1 already.")
    }

    @Test func linesMayEndAsOnWindows() throws {
        let list = try list("# people\r", "ada \(ada) worker=a\r", "ben \(ben) client=read\r", "")
        #expect(list.entries.map(\.name) == ["ada", "ben"])
        #expect(complaint("\r", "ada\r")?.hasPrefix("allowed:2: ") == true)
    }

    @Test func editingKeepsWhatPeopleWrote() throws {
        var list = try list("# mine", "ada  \(ada)   worker=a", "# about ben", "ben \(ben) client=read")
        #expect(try list.remove("ada").publicKey == ada)
        let carl = PublicKey.any()
        let rights = try Rights(words: ["client=admin,send", "worker=x,a"])
        try list.add(AllowList.Entry(name: "carl", publicKey: carl, rights: rights))
        #expect(
            list.text == "# mine\n# about ben\nben \(ben) client=read\ncarl \(carl) worker=a,x client=send,admin\n")
        #expect(try AllowList(text: list.text, path: "allowed") == list)
        #expect(throws: KeyError.self) { try list.remove("ada") }
        #expect(throws: KeyError.self) {
            try list.add(AllowList.Entry(name: "ben", publicKey: PublicKey.any(), rights: rights))
        }
    }
}

/// Public keys for tests.
enum PublicKey {
    /// One that nobody else has.
    static func any() -> String {
        guard let pair = try? CurveKeyPair.generate() else { fatalError("This libzmq was built without CURVE.") }
        return pair.publicKey
    }
}
