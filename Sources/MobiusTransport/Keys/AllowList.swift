/// The peers that may connect to a coordinator, by public key; all others may not.
///
/// As text it has a line for each peer: name, public key or hash of a token, rights. Lines that begin with `#` are comments, and are kept.
package struct AllowList: Equatable, Sendable {
    /// A peer that may connect.
    package struct Entry: Hashable, Sendable {
        /// Its name, for people and logs.
        package var name: String
        /// Its public key, or the text of the ``TokenHash`` of a peer that has a token.
        package var publicKey: String
        /// Its rights.
        package var rights: Rights

        /// Whether it has a token for HTTP in place of a key.
        package var isToken: Bool { TokenHash(publicKey) != nil }

        package init(name: String, publicKey: String, rights: Rights) {
            self.name = name
            self.publicKey = publicKey
            self.rights = rights
        }
    }

    /// The comment at the beginning of a new list.
    package static let heading = """
        # Who may connect to this coordinator; who is not listed may not. One line each: name, public key (or hash of a
        # token for HTTP), rights (worker=POOL,POOL and client=send,read,models,unmasked,admin). `mobius keys` edits this
        # file, and so may you: a running coordinator reads it again by itself.
        """

    private var lines: [String]
    private var byKey: [String: Entry] = [:]

    /// An empty list.
    package init() {
        lines = Self.heading.split(separator: "\n").map(String.init)
    }

    /// Reads a list.
    ///
    /// - Throws: ``KeyError`` with the number of the first invalid line.
    package init(text: String, path: String) throws(KeyError) {
        lines = Lines.of(text)
        var numbers: [String: Int] = [:]
        for (index, line) in lines.enumerated() {
            let entry: Entry?
            do throws(Rights.Problem) {
                entry = try Self.entry(line)
            } catch {
                throw KeyError(.malformed, "\(path):\(index + 1): \(error.sentence).")
            }
            guard let entry else { continue }
            if let other = numbers[entry.name] ?? numbers[entry.publicKey] {
                let what = numbers[entry.name] == nil ? "this key" : "the name '\(entry.name)'"
                throw KeyError(.malformed, "\(path):\(index + 1): \(what) is in line \(other) already.")
            }
            numbers[entry.name] = index + 1
            numbers[entry.publicKey] = index + 1
            byKey[entry.publicKey] = entry
        }
    }

    private static func entry(_ line: String) throws(Rights.Problem) -> Entry? {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard let first = words.first, !first.hasPrefix("#") else { return nil }
        let name = String(first)
        guard PeerName.isName(name) else { throw .init("'\(name.prefix(80))' is no name: \(PeerName.rule)") }
        guard words.count > 1 else { throw .init("a line has a name, a public key and rights") }
        let key = String(words[1])
        let isToken = TokenHash(key) != nil
        guard isToken || CurveKeyPair.isKey(key) else {
            throw .init("the second word is no public key and no hash of a token: \(KeyFields.keyRule)")
        }
        let rights = try Rights(words: words.dropFirst(2))
        guard !isToken || !rights.isWorker else { throw .init("a token has no rights of a worker: write client= only") }
        return Entry(name: name, publicKey: key, rights: rights)
    }

    /// The peer with this public key.
    package subscript(publicKey publicKey: String) -> Entry? { byKey[publicKey] }

    /// All peers, by name.
    package var entries: [Entry] { byKey.values.sorted { $0.name < $1.name } }

    /// The text of the list.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// Adds a peer at the end.
    ///
    /// - Throws: ``KeyError`` when the name or the key exists.
    package mutating func add(_ entry: Entry) throws(KeyError) {
        guard !byKey.values.contains(where: { $0.name == entry.name }), byKey[entry.publicKey] == nil else {
            throw KeyError(
                .exists,
                "There is a key of the name '\(entry.name)'. Choose another, or first: mobius keys revoke \(entry.name)"
            )
        }
        lines.append("\(entry.name) \(entry.publicKey) \(entry.rights.text)")
        byKey[entry.publicKey] = entry
    }

    /// Removes a peer.
    ///
    /// - Throws: ``KeyError`` when the name does not exist.
    package mutating func remove(_ name: String) throws(KeyError) -> Entry {
        guard let entry = byKey.values.first(where: { $0.name == name }) else {
            throw KeyError(.unknown, "There is no key of the name '\(name)'; mobius keys list shows all.")
        }
        byKey[entry.publicKey] = nil
        lines.removeAll { (try? Self.entry($0)) == entry }
        return entry
    }
}
