#if HTTP
    import MobiusProcess
    import NIOCore

    /// The limits on the cost of a client, whether or not it has a token.
    package struct HTTPLimits: Sendable {
        /// Connections: 1,024, or an eighth of the open files that the process may have.
        ///
        /// Beyond them the one that has been idle longest is closed, or the one whose client has not read for longest.
        package var connections = max(32, min(1024, OpenFiles.limit / 8))
        /// Connections that watch a model.
        package var streams: Int { connections / 2 }
        /// The time that a connection may wait for its next request, and a request for its next part.
        package var idle = Duration.seconds(60)
        /// The time that a body may take to arrive.
        package var body = Duration.seconds(60)
        /// The time for which a connection may have bytes to send of which its client reads none; a part has up to 64
        /// KiB.
        package var write = Duration.seconds(30)
        /// The time that a client whose request was refused unread may take to read the response.
        static let farewell = TimeAmount.seconds(2)
        /// Bytes of one header field, of all of a request, with its target, and their number.
        static let headerField = 8 << 10, headers = 16 << 10, headerCount = 100
        /// Bytes of bodies beyond ``small`` that are being received.
        package var bodyBytes = 64 << 20
        /// Bytes of responses that are being sent.
        package var responseBytes = 256 << 20
        /// Bodies of up to so many bytes are not counted.
        static let small = 64 << 10

        /// The limits of every server; a test may change those that are not constants.
        package init() {}
    }
#endif
