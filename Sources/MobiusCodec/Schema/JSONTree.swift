/// A JSON value whose objects keep the order of their keys.
package enum JSONTree: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case array([JSONTree])
    case object([Member])

    /// A key with its value.
    package struct Member: Equatable, Sendable {
        /// The key.
        package var name: String
        /// Its value.
        package var value: JSONTree

        /// Makes a member.
        package init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    /// An object with these members, in this order.
    package static func members(_ members: KeyValuePairs<String, JSONTree>) -> JSONTree {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// The value of a key of an object.
    package subscript(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// An object with one more member.
    package func adding(_ name: String, _ value: JSONTree) -> JSONTree {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name, value)])
    }

    /// The value as JSON in one line.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += "\(number)"
        case .unsigned(let number): text += "\(number)"
        case .number(let number): text += "\(number)"
        case .text(let value): Self.quote(value, to: &text)
        case .array(let elements):
            text += "["
            for (place, element) in elements.enumerated() {
                if place > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (place, member) in members.enumerated() {
                if place > 0 { text += "," }
                Self.quote(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
