/// The fixed first bytes of every frame between a client and a coordinator.
struct ClientHead {
    /// The version of the clients' protocol that this build speaks.
    static let version: UInt8 = 2
    /// The length in bytes, as that of ``Head``.
    static let length = Head.length

    var command: ClientCommand
    /// The coordinator's epoch in answers, 0 in requests.
    var epoch: UInt64
    /// The client's number of the request, from 1; 0 only in an answer to what has none.
    var number: UInt64

    func write(to writer: inout ByteWriter) {
        writer.uint8(Head.signature.0)
        writer.uint8(Head.signature.1)
        writer.uint8(Self.version)
        writer.uint8(command.rawValue)
        writer.uint64(epoch)
        writer.uint64(number)
    }

    init(command: ClientCommand, epoch: UInt64, number: UInt64) {
        self.command = command
        self.epoch = epoch
        self.number = number
    }

    init(from reader: inout WireReader) throws(WireError) {
        let start = try Start(from: &reader)
        guard let command = ClientCommand(rawValue: start.command) else {
            throw WireError(.unknownCommand, "command \(start.command)")
        }
        self.init(command: command, epoch: start.epoch, number: start.number)
    }

    /// A head whose command may be one of a later time: enough to refuse its request by number.
    struct Start {
        let command: UInt8
        let epoch: UInt64
        let number: UInt64

        init(from reader: inout WireReader) throws(WireError) {
            guard try reader.uint8("signature") == Head.signature.0, try reader.uint8("signature") == Head.signature.1
            else { throw WireError(.notOurs, "the first two bytes are not MF") }
            let version = try reader.uint8("version")
            command = try reader.uint8("command")
            // The versions of the two protocols have nothing to do with each other.
            guard command >= ClientCommand.first else { throw WireError(.unknownCommand, "command \(command)") }
            guard version == ClientHead.version else {
                throw WireError(.unsupportedVersion, "version \(version); this side speaks \(ClientHead.version)")
            }
            epoch = try reader.uint64("epoch")
            number = try reader.uint64("request")
        }
    }
}
