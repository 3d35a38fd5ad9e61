import Foundation
import MobiusTransport
import TestTraits
import Testing

@Suite(.ownThread)
struct RoundTripTests {
    @Test func questionAndAnswerOverTCP() throws {
        var talk = try Conversation.begin()
        #expect(try talk.dealer.lastEndpoint.hasPrefix("tcp://127.0.0.1:"))
        try exchange(&talk)
    }

    @Test func questionAndAnswerOverIPC() throws {
        let directory = try TemporaryDirectory()
        var talk = try Conversation.begin(endpoint: "ipc://\(directory.path)/socket")
        try exchange(&talk)
    }

    private func exchange(_ talk: inout Conversation) throws {
        #expect(try talk.dealer.send(bytes("question")) == .sent)
        #expect(try talk.routerHears() == .message)
        #expect(talk.message.array == bytes("question"))
        #expect(talk.peer.count == 5)  // libzmq's own names have five bytes

        #expect(try talk.router.send(to: talk.peer, bytes("answer")) == .sent)
        #expect(try talk.dealerHears() == .message)
        #expect(talk.message.array == bytes("answer"))
    }

    @Test(arguments: [0, 1, 33, 34, 8_192, 32 * 1024, 32 * 1024 + 1, 3_000_000])
    func everySizeArrivesWhole(count: Int) throws {
        var talk = try Conversation.begin()
        let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }

        #expect(try talk.dealer.send(sent) == .sent)
        #expect(try talk.routerHears() == .message)
        #expect(talk.message.array == sent)

        #expect(try talk.router.send(to: talk.peer, sent) == .sent)
        #expect(try talk.dealerHears() == .message)
        #expect(talk.message.array == sent)
        #expect(talk.message.count == count)

        #expect(try talk.router.send(to: talk.peer, sent.span.bytes) == .sent)
        #expect(try talk.dealerHears() == .message)
        #expect(talk.message.withBytes { $0.byteCount } == count)
    }

    @Test func aLargeArrayMayChangeAfterItWasSent() throws {
        var talk = try Conversation.begin()
        var array = [UInt8](repeating: 1, count: 1_000_000)
        for round: UInt8 in 2..<10 {
            #expect(try talk.dealer.send(array) == .sent)
            array[0] = round
        }
        var first: [UInt8] = []
        for _ in 2..<10 {
            #expect(try talk.routerHears() == .message)
            first.append(talk.message.withUnsafeBytes { $0[0] })
        }
        #expect(first == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    #if os(Linux)
        /// In a process of its own: what other tests keep meanwhile does not count.
        @Test func largeArraysAreLetGoOnceTheyAreWrittenOut() async {
            await #expect(processExitsWith: .success) {
                var talk = try Conversation.begin()
                let (count, size) = (150, 4 << 20)
                let before = try residentBytes()
                for number in 0..<count {
                    #expect(try talk.dealer.send([UInt8](repeating: UInt8(number), count: size)) == .sent)
                    #expect(try talk.routerHears() == .message)
                    #expect(talk.message.withUnsafeBytes { $0.last } == UInt8(number))
                }
                let grown = try residentBytes() - before
                if grown >= count * size / 2 { fatalError("\(grown) bytes are kept") }
            }
        }
    #endif

    @Test func nothingIsWaitingBeforeAnythingWasSent() throws {
        let socket = try Context().socket(.pull)
        var message = Message()
        #expect(try socket.receive(into: &message) == false)
        #expect(try socket.receiveWhole(into: &message) == .nothing)
        #expect(message.count == 0)
    }

    @Test func aMessageOutlivesItsSocketAndThread() async throws {
        let message = try heardMessage()
        let task = Task.detached { message.array }
        #expect(await task.value == bytes("keep"))
    }

    private func heardMessage() throws -> Message {
        let context = Context()
        let push = try context.socket(.push)
        let pull = try context.socket(.pull)
        try pull.bind("inproc://keep")
        try push.connect("inproc://keep")
        _ = try push.send(bytes("keep"))
        var message = Message()
        _ = try pull.receive(into: &message)
        return message
    }

    @Test func aMessageKnowsWhereItCameFrom() throws {
        let talk = try Conversation.begin()
        #expect(talk.message.property("Peer-Address") == "127.0.0.1")
        #expect(talk.message.property("User-Id") == nil)
    }

    @Test func aSubscriberHearsWhatItAskedFor() throws {
        let context = Context()
        let publisher = try context.socket(.extendedPublisher)
        try publisher.bind("inproc://news")
        let subscriber = try context.socket(.subscriber)
        try subscriber.set(.subscribe, to: bytes("a"))
        try subscriber.connect("inproc://news")
        var message = Message()
        try waitUntilReadable(publisher)
        #expect(try publisher.receive(into: &message))  // the subscription

        #expect(try publisher.send(bytes("b1")) == .sent)
        #expect(try publisher.send(bytes("a1")) == .sent)
        try waitUntilReadable(subscriber)
        #expect(try subscriber.receive(into: &message))
        #expect(message.array == bytes("a1"))
    }
}

#if os(Linux)
    /// How much memory this process has in use.
    private func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return try #require(Int(pages)) * 4096
    }
#endif
