#if HTTP
    import Dispatch
    import FleetTestSupport
    import HTTPTypes
    import HummingbirdCore
    import MobiusHTTP
    import NIOCore
    import NIOPosix
    import Synchronization
    import TestTraits
    import Testing

    /// Bodies whose event loop runs late, as on a busy machine.
    @Suite(.patient)
    struct PacedWriterTests {
        @Test func aPartWaitsUntilTheEventLoopHasTakenTheOneBefore() async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let channel = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            let mailbox = Mailbox(channel.eventLoop)
            let gate = DispatchSemaphore(value: 0)
            channel.eventLoop.execute { gate.wait() }
            async let writing: Void = {
                var writer: any ResponseBodyWriter = Posting(to: mailbox)
                try await PacedWriter(channel: channel).write(
                    [UInt8](repeating: 0, count: 16 << 20), to: &writer)
            }()
            try await mailbox.posts.wait(for: "the first part") { !$0.isEmpty }
            gate.signal()
            try await writing
            #expect(mailbox.posts.elements.reduce(0) { $0 + $1.bytes } == 16 << 20)
            #expect(mailbox.posts.elements.allSatisfy { $0.waiting == 1 })
            try await channel.close()
            try await group.shutdownGracefully()
        }
    }

    /// The parts that an event loop has not taken yet.
    private final class Mailbox: Sendable {
        let posts = Journey<(bytes: Int, waiting: Int)>()
        private let loop: any EventLoop
        private let waiting = Atomic(0)

        init(_ loop: any EventLoop) {
            self.loop = loop
        }

        func post(_ bytes: Int) {
            posts.add((bytes, waiting.add(1, ordering: .relaxed).newValue))
            loop.execute { self.waiting.subtract(1, ordering: .relaxed) }
        }
    }

    /// Hands parts over as NIO does: puts each into the event loop's queue and returns.
    private struct Posting: ResponseBodyWriter {
        private let mailbox: Mailbox

        init(to mailbox: Mailbox) {
            self.mailbox = mailbox
        }

        func write(_ buffer: ByteBuffer) { mailbox.post(buffer.readableBytes) }

        func finish(_ trailingHeaders: HTTPFields?) {}
    }
#endif
