import MobiusJournal

/// The digests of the fields of a value in JSON, by which two builds find out what differs without reading all of it.
///
/// Equal values have equal digests, in whatever order their keys are. The fields of an enum's only value without a label are fields, too,
/// with the name of the case before theirs.
struct FieldDigests {
    /// The digests by name; that of a value without fields has the name of what is around it.
    private(set) var digests: [(name: String, digest: UInt64)] = []

    /// Reads a value that an encoder has written.
    init(of json: [UInt8]) {
        var scanner = Scanner(json: json)
        scanner.scan(under: "", &digests)
    }

    /// The digest of a whole value.
    static func digest(of json: [UInt8]) -> UInt64 {
        var scanner = Scanner(json: json)
        return scanner.digest(depth: 0)
    }

    private struct Scanner {
        let json: [UInt8]
        var place = 0

        /// Deeper than that, bytes are compared: the digest goes as deep as its own stack.
        static let depth = 128

        /// Adds the fields of the value at this place, and goes behind it.
        mutating func scan(under path: String, _ digests: inout [(name: String, digest: UInt64)]) {
            guard next() == UInt8(ascii: "{") else { return digests.append((path, digest(depth: 0))) }
            let start = place
            let fields = members { $0.digest(depth: 1) }
            if fields.isEmpty { return digests.append((path, FNV1a.hash(json[start..<place]))) }
            func name(_ key: ArraySlice<UInt8>) -> String {
                let key = String(decoding: key, as: UTF8.self)
                return path.isEmpty ? key : "\(path).\(key)"
            }
            for field in fields {
                // Only a case, or the value of one, stands alone.
                guard fields.count == 1, field.key.elementsEqual("_0".utf8) || isCase(at: field.start) else {
                    digests.append((name(field.key), field.value))
                    continue
                }
                var inner = Scanner(json: json, place: field.start)
                inner.scan(under: name(field.key), &digests)
            }
        }

        /// Whether the value at a place is an object whose only key is that of a value without a label.
        private func isCase(at place: Int) -> Bool {
            var scanner = Scanner(json: json, place: place)
            guard scanner.next() == UInt8(ascii: "{") else { return false }
            let fields = scanner.members { $0.skip() }
            return fields.count == 1 && fields[0].key.elementsEqual("_0".utf8)
        }

        /// The digest of the value at this place; goes behind it.
        mutating func digest(depth: Int) -> UInt64 {
            guard depth < Self.depth else { return skip() }
            switch next() {
            case UInt8(ascii: "{"):
                return members { $0.digest(depth: depth + 1) }.reduce(0x7B) { sum, field in
                    sum &+ (FNV1a.hash(field.key) ^ field.value &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
                }
            case UInt8(ascii: "["):
                place += 1
                var sum: UInt64 = 0x5B
                while let byte = next(), byte != UInt8(ascii: "]") {
                    let before = place
                    if byte == UInt8(ascii: ",") {
                        place += 1
                    } else {
                        sum = (sum ^ digest(depth: depth + 1)) &* 0x100_0000_01B3
                    }
                    guard place > before else { break }  // no JSON
                }
                place = min(place + 1, json.count)
                return sum
            default: return skip()
            }
        }

        /// The members of the object at this place, each with what `read` makes of its value; goes behind it.
        private mutating func members(
            _ read: (inout Scanner) -> UInt64
        ) -> [(key: ArraySlice<UInt8>, start: Int, value: UInt64)] {
            var found: [(key: ArraySlice<UInt8>, start: Int, value: UInt64)] = []
            place += 1
            while let byte = next(), byte != UInt8(ascii: "}") {
                if byte == UInt8(ascii: ",") {
                    place += 1
                    continue
                }
                let key = place
                skipText()
                let name = json[min(key + 1, place)..<max(min(key + 1, place), place - 1)]
                if next() == UInt8(ascii: ":") { place += 1 }
                _ = next()
                let start = place
                let value = read(&self)
                guard place > start else { break }  // no JSON
                found.append((name, start, value))
            }
            place = min(place + 1, json.count)
            return found
        }

        /// The next byte that is no space; `nil` at the end.
        private mutating func next() -> UInt8? {
            while place < json.count, json[place] <= UInt8(ascii: " ") { place += 1 }
            return place < json.count ? json[place] : nil
        }

        private mutating func skipText() {
            place += 1
            while place < json.count, json[place] != UInt8(ascii: "\"") {
                place += json[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place = min(place + 1, json.count)
        }

        /// Goes behind the value at this place; returns the digest of its bytes.
        @discardableResult
        private mutating func skip() -> UInt64 {
            let start = place
            var depth = 0
            scan: while place < json.count {
                switch json[place] {
                case UInt8(ascii: "\""): skipText()
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    place += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    guard depth > 0 else { break scan }
                    depth -= 1
                    place += 1
                case UInt8(ascii: ","):
                    guard depth > 0 else { break scan }
                    place += 1
                default: place += 1
                }
            }
            place = min(place, json.count)
            return FNV1a.hash(json[start..<place])
        }
    }
}
