public import MobiusWire

/// The loop of a program with a key, such as the order 4711: where an event of that program can be sent.
///
/// A route that sends an event of another program to it does not compile.
public struct Address<Program: FleetProgram>: Hashable, Sendable, CustomStringConvertible {
    /// The key; empty for the loop that is named as its kind.
    public let key: String

    /// The loop of the program with this key, such as `order/4711` for `4711`.
    ///
    /// - Parameter key: Any text. One that makes the name longer than `LoopID.maximumLength` bytes names no loop:
    ///   ``loop`` is `nil`.
    public init(_ key: String) {
        self.key = key
    }

    /// The loop that is named as its kind, of a program that has one loop only, such as `statistics`.
    public static var only: Address { Address("") }

    /// The address of a loop, such as that of `LoopContext.loop`; `nil` for a loop of another kind.
    public init?(_ loop: LoopID) {
        guard LoopKind.name(of: loop) == Program.kind.name else { return nil }
        self.init(String(Substring(loop.name.utf8.dropFirst(Program.kind.name.utf8.count + 1))))
    }

    /// The name of the loop.
    public var name: String { key.isEmpty ? Program.kind.name : "\(Program.kind.name)/\(key)" }

    /// The loop; `nil` when its name is too long.
    public var loop: LoopID? { LoopID(name) }

    /// The name of the loop.
    public var description: String { name }
}

extension Address: Codable {
    /// Reads the key.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}
