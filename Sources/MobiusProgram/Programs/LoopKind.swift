public import MobiusWire

/// The kind of a loop, by which a coordinator of several programs finds the one that runs it.
///
/// It is the name's part before the first slash: the loop `order/4711` is of the kind `order`, and so is a loop `order`.
public struct LoopKind: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Its name.
    public let name: String

    /// Makes a kind of a name of 1…64 letters and digits of ASCII, `-` and `_`; any other is a programmer error and traps.
    public init(stringLiteral name: String) {
        precondition(
            (1...64).contains(name.utf8.count) && name.unicodeScalars.allSatisfy(Self.isAllowed),
            "The name of a kind has 1 to 64 letters, digits, '-' and '_': \"\(name)\" has not.")
        self.name = name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }

    /// Returns the loop of this kind with a key, such as `order/4711`; `nil` when its name would be longer than
    /// `LoopID.maximumLength` bytes.
    ///
    /// - Parameter key: Any text; empty for the loop that is named as its kind.
    public func loop(_ key: String) -> LoopID? { LoopID(key.isEmpty ? name : "\(name)/\(key)") }

    /// Returns the name of the kind of a loop.
    package static func name(of loop: LoopID) -> String {
        let name = loop.name.utf8
        guard let slash = name.firstIndex(of: UInt8(ascii: "/")) else { return loop.name }
        return String(Substring(name[..<slash]))
    }

    /// The name.
    public var description: String { name }
}
