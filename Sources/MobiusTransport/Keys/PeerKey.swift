/// The key file with which a worker or a client authenticates, made by `mobius keys new`.
///
/// It contains the peer's key pair and the coordinator's public key, so that a host needs nothing else. Its
/// descriptions show public keys only.
public struct PeerKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its name in the coordinator's allow-list.
    public let name: String
    /// The peer's own pair.
    public let pair: CurveKeyPair
    /// The coordinator's public key.
    public let coordinator: String

    /// The peer's public key, which identifies it in the coordinator's allow-list.
    public var publicKey: String { pair.publicKey }

    package init(name: String, pair: CurveKeyPair, coordinator: String) {
        self.name = name
        self.pair = pair
        self.coordinator = coordinator
    }

    /// Reads a key file.
    ///
    /// - Throws: ``KeyError`` when it cannot be read, others may read it, or it is invalid.
    public init(file path: String) throws(KeyError) {
        let text = try KeyFile.read(path, for: .owner, as: "the key")
        try self.init(text: text, path: path)
    }

    /// Reads the content of a key file; errors name `path`.
    package init(text: String, path: String) throws(KeyError) {
        let fields = try KeyFields(text, path: path, names: ["name", "public", "secret", "coordinator"])
        name = try fields.value("name")
        coordinator = try fields.value("coordinator")
        guard PeerName.isName(name) else { throw fields.problem("name", PeerName.rule) }
        guard CurveKeyPair.isKey(coordinator) else { throw fields.problem("coordinator", KeyFields.keyRule) }
        pair = try fields.pair()
    }

    /// The file's content.
    var text: String {
        """
        # Mobius Fleet: the key of the peer \(name). Secret: whoever has this file is \(name).
        name         \(name)
        public       \(pair.publicKey)
        secret       \(pair.secretKey)
        coordinator  \(coordinator)

        """
    }

    /// The name and the public keys.
    public var description: String { "PeerKey(\(name), \(pair.publicKey), coordinator: \(coordinator))" }
    /// The name and the public keys.
    public var debugDescription: String { description }
    /// The name and the public keys.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "pair": pair, "coordinator": coordinator])
    }
}

/// The names of peers, which are also file names.
package enum PeerName {
    /// The maximum length in bytes.
    package static let longest = 64

    /// The rule for names, for messages.
    package static let rule =
        "a name has 1 to \(longest) letters, digits, '-', '_' and '.', begins with a letter or digit, and is not 'coordinator'"

    /// Whether this may name a peer.
    package static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...longest).contains(bytes.count), let first = bytes.first, isAlphanumeric(first) else { return false }
        return text != "coordinator" && bytes.allSatisfy { isAlphanumeric($0) || Array("-_.".utf8).contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
