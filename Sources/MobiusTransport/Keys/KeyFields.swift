/// The lines of a text, with the line ends of Unix or Windows.
enum Lines {
    /// All lines without their ends; no empty line after the last end.
    static func of(_ text: String) -> [String] {
        // By bytes: in Swift, "\r\n" is one character.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let end = line.lastIndex { $0 != UInt8(ascii: "\r") }
            return String(decoding: end.map { line[...$0] } ?? line.prefix(0), as: UTF8.self)
        }
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

/// The lines of a key file: a name, spaces, and a value each; lines that begin with `#` are comments.
struct KeyFields {
    static let keyRule = "a key is 40 characters of Z85, as `mobius keys` writes them"

    private let path: String
    private var values: [String: (text: String, line: Int)] = [:]

    init(_ text: String, path: String, names: [String]) throws(KeyError) {
        self.path = path
        var number = 0
        for line in Lines.of(text) {
            number += 1
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let name = words.first.map(String.init), !name.hasPrefix("#") else { continue }
            guard names.contains(name) else {
                throw KeyError(
                    .malformed,
                    "\(path):\(number): this is no key file: a line begins with one of \(names.joined(separator: ", "))."
                )
            }
            guard words.count == 2 else {
                throw KeyError(.malformed, "\(path):\(number): \(name) takes one value.")
            }
            guard values[name] == nil else { throw KeyError(.malformed, "\(path):\(number): \(name) is there twice.") }
            values[name] = (String(words[1]), number)
        }
    }

    func value(_ name: String) throws(KeyError) -> String {
        guard let value = values[name] else {
            throw KeyError(.malformed, "\(path): there is no line '\(name)'; make a new file with mobius keys.")
        }
        return value.text
    }

    func problem(_ name: String, _ rule: String) -> KeyError {
        KeyError(.malformed, "\(path):\(values[name]?.line ?? 1): \(name): \(rule).")
    }

    /// The pair of the lines `public` and `secret`.
    func pair() throws(KeyError) -> CurveKeyPair {
        let secret = try value("secret")
        guard CurveKeyPair.isKey(secret), let pair = try? CurveKeyPair(secretKey: secret) else {
            throw problem("secret", Self.keyRule)
        }
        guard try value("public") == pair.publicKey else {
            throw problem("public", "it does not belong to the secret key")
        }
        return pair
    }
}
