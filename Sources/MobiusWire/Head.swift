/// The command of a message: its fourth byte.
public enum Command: UInt8, Sendable, CaseIterable {
    // From workers.
    /// A worker introduces itself; opens a session.
    case hello = 1
    /// More effects may be sent.
    case credit = 2
    /// The worker lives, and holds these attempts.
    case heartbeat = 3
    /// Reports of handlers.
    case event = 4
    /// Handlers could not do what was asked.
    case fail = 5
    /// The worker takes no more effects and will leave.
    case draining = 6
    /// The worker leaves.
    case bye = 7
    /// The worker takes promised slots back that were not used.
    case reclaim = 8

    // From the coordinator.
    /// The worker is admitted.
    case welcome = 65
    /// The worker is not admitted.
    case reject = 66
    /// Effects to run.
    case effect = 67
    /// Reports that cannot be lost any more.
    case ack = 68
    /// Attempts that are no longer wanted, because they ended or were given to another worker.
    case stale = 69
    /// Attempts to cancel.
    case cancel = 70
    /// The coordinator lives.
    case pulse = 71
    /// Stop orderly, or wait for the coordinator's return.
    case drain = 72
    /// The session is unknown: say HELLO again.
    case resync = 73
    /// The loops run elsewhere.
    case moved = 74
    /// Effects wait for a slot of this worker, or no longer.
    case wanted = 75
    /// Slots that the worker has back.
    case reclaimed = 76
}

/// The fixed first bytes of every message.
public struct Head: Hashable, Sendable {
    /// The version of the protocol that this build speaks.
    public static let version: UInt8 = 1
    /// The length in bytes.
    public static let length = 20

    static let signature: (UInt8, UInt8) = (UInt8(ascii: "M"), UInt8(ascii: "F"))

    /// The kind of the message that follows.
    public var command: Command
    /// The coordinator's epoch: in a HELLO the highest that the worker has seen (0 for none).
    public var epoch: UInt64
    /// The session that WELCOME opened; 0 outside of one.
    public var session: UInt64

    /// Makes a head.
    public init(command: Command, epoch: UInt64, session: UInt64) {
        self.command = command
        self.epoch = epoch
        self.session = session
    }

    func write(to writer: inout ByteWriter) {
        writer.uint8(Self.signature.0)
        writer.uint8(Self.signature.1)
        writer.uint8(Self.version)
        writer.uint8(command.rawValue)
        writer.uint64(epoch)
        writer.uint64(session)
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.uint8("signature") == Self.signature.0, try reader.uint8("signature") == Self.signature.1
        else { throw WireError(.notOurs, "the first two bytes are not MF") }
        let version = try reader.uint8("version")
        let command = try reader.uint8("command")
        // The versions of the two protocols have nothing to do with each other.
        guard command < ClientCommand.first else { throw WireError(.unknownCommand, "command \(command)") }
        guard version == Self.version else {
            throw WireError(.unsupportedVersion, "version \(version); this side speaks \(Self.version)")
        }
        guard let command = Command(rawValue: command) else { throw WireError(.unknownCommand, "command \(command)") }
        self.command = command
        epoch = try reader.uint64("epoch")
        session = try reader.uint64("session")
    }
}
