/// A request under the number that its client gave it.
public struct NumberedRequest: Hashable, Sendable {
    /// Chosen by the client, from 1 and unique among its requests: the answer repeats it.
    public var number: UInt64
    /// The request itself.
    public var request: ClientRequest
    /// The W3C trace context of an event that is sent, or empty; other requests have none.
    public var traceparent: String
    /// Whether people will see the answer, so that the program masks what they must not see; of requests that do not ask for
    /// payloads it is not said.
    public var isForPeople: Bool
    /// The order in which an event that is sent is applied with others of the connection; of other requests it is not
    /// said.
    public var order: SendOrder
    /// The number of shards that the client knows and asks one by one about all loops; other requests do not contain
    /// it.
    public var shards: UInt32
    /// The bearer token of the caller for whom a gateway asks, up to 255 bytes: then its holder's rights decide, not those of the
    /// connection's key; empty for a client's own requests.
    public var token: String

    /// Numbers a request.
    public init(
        number: UInt64, request: ClientRequest, traceparent: String = "", isForPeople: Bool = false,
        order: SendOrder = .free, shards: UInt32 = 1, token: String = ""
    ) {
        self.number = number
        self.request = request
        self.traceparent = traceparent
        self.isForPeople = isForPeople
        self.order = order
        self.shards = shards
        self.token = token
    }
}

extension NumberedRequest {
    /// The longest frame of a request in JSON: 64 KiB, because its values take many times as much memory as its bytes.
    public static let maximumJSON = 64 << 10

    /// Appends the request's one frame to `bytes`, whose other content stays.
    ///
    /// The number 0, or a key that is empty or longer than ``ClientRequest/maximumKey``, are programmer errors.
    public func encode(into bytes: inout [UInt8]) {
        precondition(number > 0, "Number the requests of a client from 1.")
        let event = EventFields(self)
        ByteWriter.append(to: &bytes) { writer in
            ClientHead(command: request.command, epoch: 0, number: number).write(to: &writer)
            event?.write(to: &writer)
        }
        if event == nil { Body.append(RequestFields(self), to: &bytes) }
    }

    /// Reads the one frame of a client's request.
    ///
    /// - Throws: ``WireError`` for any bytes that are not exactly one request.
    public init(decoding frame: RawSpan) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in
            var reader = WireReader(bytes)
            let head = try ClientHead(from: &reader)
            guard head.number > 0 else { throw WireError(.invalidField, "requests count from 1") }
            var numbered: NumberedRequest
            switch head.command {
            case .send, .checkEvent: numbered = try EventFields(from: &reader).request(head.command)
            default:
                guard bytes.count <= Self.maximumJSON else {
                    throw WireError(.invalidField, "a request of more than \(Self.maximumJSON) bytes")
                }
                guard head.command.isRequest else {
                    throw WireError(.unknownCommand, "\(head.command) is not said by clients")
                }
                numbered = try Body.read(RequestFields.self, from: &reader).request(head.command)
            }
            numbered.number = head.number
            try reader.end("request")
            return numbered
        }
    }

    /// The number of a request that cannot be read further, so that it can be refused; `nil` when not even its head can.
    public static func number(of frame: RawSpan) -> UInt64? {
        frame.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            guard let start = try? ClientHead.Start(from: &reader), start.number > 0 else { return nil }
            return start.number
        }
    }
}
