package import ZeroMQ

// What measurements of libzmq 4.3 taught: see the protocol's specification in MobiusWire.
extension Socket {
    /// Sets a ROUTER up for workers, before it is bound.
    package func prepare(asCoordinatorWithPayloads maximumPayload: UInt32) throws(ZeroMQError) {
        try set(.routerMandatory, to: true)  // else sending to a peer that is gone seems to succeed
        try set(.backlog, to: 1024)
        // Per frame, and a frame holds a batch of at most 256 KiB beside its largest payload; 64 KiB for the rest.
        try set(.maxMessageSize, to: Int(maximumPayload) + (320 << 10))
        try prepare()
    }

    /// Sets a DEALER up for one coordinator, before it is connected.
    package func prepareAsWorker() throws(ZeroMQError) {
        try set(.immediate, to: true)  // else stale messages precede HELLO on a new connection
        // Workers ping, and their pings tell the coordinator's side when to give up. The coordinator must not: libzmq 4.3.4
        // aborts when it pings a connection that broke while its receive pipe was full.
        try set(.heartbeatInterval, to: .seconds(1))
        try set(.reconnectInterval, to: .milliseconds(100))
        try set(.reconnectIntervalMax, to: .seconds(1))
        try prepare()
    }

    private func prepare() throws(ZeroMQError) {
        try set(.sendHighWaterMark, to: 100_000)  // credit bounds what is sent
        try set(.receiveHighWaterMark, to: 100_000)
        try set(.heartbeatTimeout, to: .seconds(3))
        try set(.heartbeatTimeToLive, to: .seconds(3))
        try set(.linger, to: .milliseconds(500))  // long enough for BYE, DRAIN and REJECT
    }
}
