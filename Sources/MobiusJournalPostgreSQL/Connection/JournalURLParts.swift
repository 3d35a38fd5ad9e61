/// The parts of a URL as libpq takes it apart, which is not as RFC 3986 says: a password ends at the first `@` before the first
/// `/`, so it may contain `?`.
struct JournalURLParts {
    /// An option behind the `?`.
    struct Option {
        /// Its text.
        let text: Substring
        /// Its name, decoded as libpq does.
        let key: String
        /// Its value as it is written; `nil` without a `=`.
        let value: Substring?
    }

    let scheme: Substring
    let options: [Option]
    private let user: Substring
    private let password: Substring?
    private let isNamed: Bool
    /// Hosts, ports and database.
    private let place: Substring

    /// Takes a URL apart; `nil` for a text without `://`.
    init?(_ text: String) {
        guard let mark = Self.mark(in: text.utf8) else { return nil }
        scheme = text[..<mark.lowerBound]
        var rest = text[mark.upperBound...]
        let (authority, _) = Self.split(rest, at: "/")
        let (name, hosts) = Self.split(authority, at: "@")
        isNamed = hosts != nil
        if let hosts {
            (user, password) = Self.split(name, at: ":")
            rest = rest[hosts.startIndex...]
        } else {
            (user, password) = ("", nil)
        }
        let (place, query) = Self.split(rest, at: "?")
        self.place = place
        options = (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { option in
            let text = Substring(option)
            let (key, value) = Self.split(text, at: "=")
            return Option(text: text, key: Self.decoded(key) ?? "", value: value)
        }
    }

    /// The URL without its options; it holds the password.
    var beforeOptions: String {
        "\(scheme)://" + (isNamed ? user + (password.map { ":" + $0 } ?? "") + "@" : "") + place
    }

    /// The reason why libpq takes it for another URL than its author meant, in a clause; `nil` if it does not.
    ///
    /// A part of a password may be a host, port, database or option then, all of which libpq's messages show.
    var problem: String? {
        guard !Self.hasAt(place), hasPorts else {
            return "has a port that is no number, or a / or @ in its user or password: write %2F and %40 for these"
        }
        guard options.allSatisfy({ $0.value != nil && !$0.key.isEmpty && $0.key.utf8.allSatisfy(Self.isOfKey) }) else {
            return "has an option that is not NAME=VALUE"
        }
        return nil
    }

    /// The URL without what may be secret: only the values of options that are known to be harmless are shown, and nothing of
    /// what has a ``problem``.
    var redacted: String {
        let isDoubtful = options.contains { !Self.harmless.contains($0.key) && Self.hasAt($0.value ?? "") }
        guard problem == nil, !isDoubtful else { return "\(scheme)://…" }
        let name = isNamed ? user + (password == nil ? "" : ":***") + "@" : ""
        let options = options.map { Self.harmless.contains($0.key) ? $0.text : "\($0.key)=***" }
        return "\(scheme)://\(name)\(place)" + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
    }

    /// The texts that messages must not show, as written and as libpq reads them.
    var secrets: [String] {
        let all = options.filter { Self.isSecret($0.key) }.map(\.value) + [password]
        return all.compactMap { $0 }.flatMap { [String($0), Self.decoded($0) ?? ""] }.filter { !$0.isEmpty }
    }

    private static let harmless: Set<String> = [
        "application_name", "connect_timeout", "dbname", "host", "hostaddr", "load_balance_hosts", "port", "schema",
        "sslmode", "target_session_attrs", "user",
    ]

    private static func isSecret(_ key: String) -> Bool {
        key.contains("password") || key.contains("secret") || key.hasPrefix("scram_")
    }

    private static func isOfKey(_ byte: UInt8) -> Bool { (97...122).contains(byte) || byte == 95 }

    /// Whether each port is a number; an address in brackets has colons of its own.
    private var hasPorts: Bool {
        Self.split(place, at: "/").0.utf8.split(separator: UInt8(ascii: ",")).allSatisfy { part in
            let host = Substring(part)
            let behind = host.hasPrefix("[") ? Self.split(host, at: "]").1 ?? "" : host
            return (Self.split(behind, at: ":").1 ?? "").utf8.allSatisfy { (48...57).contains($0) }
        }
    }

    // libpq goes by bytes: a combining character behind a mark changes nothing.
    private static func split(_ text: Substring, at mark: Unicode.Scalar) -> (Substring, Substring?) {
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: mark)) else { return (text, nil) }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }

    private static func hasAt(_ text: Substring) -> Bool { text.utf8.contains(UInt8(ascii: "@")) }

    private static func mark(in text: String.UTF8View) -> Range<String.Index>? { text.firstRange(of: "://".utf8) }

    /// The text with its `%XX`; `nil` where libpq refuses them.
    private static func decoded(_ text: Substring) -> String? {
        var (bytes, rest) = ([UInt8](), text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit), high | low > 0
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
