#if HTTP
    package import HummingbirdCore
    package import NIOCore

    /// Writes bytes no faster than the client reads them; ``ConnectionWatch`` ends the connection of one that does not read.
    package struct PacedWriter: Sendable {
        /// Bytes that are written at once.
        private static let part = 64 << 10

        private let channel: any Channel

        package init(channel: any Channel) {
            self.channel = channel
        }

        @concurrent package func write(_ bytes: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
            var rest = bytes[...]
            while !rest.isEmpty {
                // It suspends while the client does not read, but only once the event loop has noticed that. On a busy machine the
                // event loop runs late, and without the wait for it NIO would accept the whole body.
                try await writer.write(ByteBuffer(bytes: rest.prefix(Self.part)))
                try await channel.eventLoop.submit {}.get()
                rest = rest.dropFirst(Self.part)
            }
        }
    }

    extension ResponseBody {
        /// A body of these bytes, whose memory counts until it is written; `nil` when too many bytes are unread by all clients.
        static func paced(_ bytes: [UInt8], on channel: any Channel, _ budget: ByteBudget) -> ResponseBody? {
            guard let lease = budget.lease(bytes.count) else { return nil }
            return ResponseBody(contentLength: bytes.count) { writer in
                defer { withExtendedLifetime(lease) {} }
                try await PacedWriter(channel: channel).write(bytes, to: &writer)
                try await writer.finish(nil)
            }
        }
    }
#endif
