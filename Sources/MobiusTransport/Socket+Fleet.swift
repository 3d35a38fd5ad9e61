// Socket options that follow from measurements of libzmq 4.3: see the protocol's specification in MobiusWire.
extension Socket {
    /// Configures a ROUTER for workers; call it before the socket is bound.
    ///
    /// - Parameter maximumPayload: the largest payload in bytes.
    package func prepare(asCoordinatorWithPayloads maximumPayload: UInt32) throws(ZeroMQError) {
        try set(.routerMandatory, to: true)  // otherwise sends to a disconnected peer seem to succeed
        try set(.backlog, to: 1024)
        // A frame holds the largest payload, at most 256 KiB of other payloads, and at most 64 KiB of headers.
        let frame = Int(maximumPayload) + (320 << 10)
        try set(.maxMessageSize, to: frame)
        try prepare(reading: min(1000, max(2, Self.readAheadBytes / frame)), sending: Self.sendAheadToWorker)
    }

    /// The bytes of one worker's messages that are read ahead at most: 128 MiB, if all its frames have the maximum
    /// size.
    ///
    /// At least two frames are read ahead, whatever their size. TCP blocks the messages behind them.
    static var readAheadBytes: Int { 128 << 20 }
    /// The number of messages that may wait to be sent to one worker: 4,096.
    ///
    /// Further messages are dropped, and the protocol sends them again, after seconds. So at most this many lists of 64 KiB,
    /// and the effects for which it has credit, are queued for a worker that does not read.
    static var sendAheadToWorker: Int { 4096 }
    /// The number of messages that may wait to be sent to the coordinator: 16,384.
    ///
    /// So there is room for the reports of 100,000 effects that end at once; a worker keeps each until its ACK anyway.
    static var sendAheadToCoordinator: Int { 16_384 }

    /// Configures a DEALER for one coordinator; call it before the socket is connected.
    package func prepareAsWorker() throws(ZeroMQError) {
        try set(.immediate, to: true)  // otherwise stale messages precede HELLO on a new connection
        try set(.reconnectInterval, to: .milliseconds(100))
        try set(.reconnectIntervalMax, to: .seconds(1))
        try prepare(reading: 1000, sending: Self.sendAheadToCoordinator)
    }

    private func prepare(reading inbound: Int, sending outbound: Int) throws(ZeroMQError) {
        try set(.sendHighWaterMark, to: outbound)
        try set(.receiveHighWaterMark, to: inbound)
        // ZMTP heartbeats are off: see `heartbeatInterval`. The protocol's own heartbeats detect hung programs.
        try endDeadConnections(after: 4)
        try set(.linger, to: .milliseconds(500))  // long enough for BYE, DRAIN and REJECT
    }
}
