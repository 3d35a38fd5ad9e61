package import ZeroMQ

// What measurements of libzmq 4.3 taught: see the protocol's specification in MobiusWire.
extension Socket {
    /// Sets a ROUTER up for workers, before it is bound.
    package func prepare(asCoordinatorWithPayloads maximumPayload: UInt32) throws(ZeroMQError) {
        try set(.routerMandatory, to: true)  // else sending to a peer that is gone seems to succeed
        try set(.backlog, to: 1024)
        // Per frame, and a frame holds a batch of at most 256 KiB beside its largest payload; 64 KiB for the rest.
        let frame = Int(maximumPayload) + (320 << 10)
        try set(.maxMessageSize, to: frame)
        try prepare(reading: min(1000, max(2, Self.readAheadBytes / frame)))
    }

    /// How many bytes of one worker's messages are read ahead at most, in its largest frames and however large these may be
    /// two of them; TCP holds up what comes behind them.
    package static var readAheadBytes: Int { 128 << 20 }
    /// How many messages wait to be sent to one peer at most.
    ///
    /// What comes then is lost, which the protocol repairs. A worker that does not read is so sent as many lists of 64 KiB,
    /// and as many effects as it has credit for.
    package static var sendAhead: Int { 1024 }

    /// Sets a DEALER up for one coordinator, before it is connected.
    package func prepareAsWorker() throws(ZeroMQError) {
        try set(.immediate, to: true)  // else stale messages precede HELLO on a new connection
        // Workers ping, and their pings tell the coordinator's side when to give up. The coordinator must not: libzmq 4.3.4
        // aborts when it pings a connection that broke while its receive pipe was full.
        try set(.heartbeatInterval, to: .seconds(1))
        try set(.reconnectInterval, to: .milliseconds(100))
        try set(.reconnectIntervalMax, to: .seconds(1))
        try prepare(reading: 1000)
    }

    private func prepare(reading messages: Int) throws(ZeroMQError) {
        try set(.sendHighWaterMark, to: Self.sendAhead)
        try set(.receiveHighWaterMark, to: messages)
        try set(.heartbeatTimeout, to: .seconds(3))
        try set(.heartbeatTimeToLive, to: .seconds(3))
        try set(.linger, to: .milliseconds(500))  // long enough for BYE, DRAIN and REJECT
    }
}
