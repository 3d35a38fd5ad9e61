import Dispatch
import FleetTestSupport
import Synchronization
import Testing
import mobius

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Pipes that are polled", .timeLimit(.minutes(1)))
struct PipePollerTests {
    private let queue = DispatchQueue(label: "pipes")
    private let poller: PipePoller

    init() {
        poller = PipePoller(queue: queue)
    }

    private func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            // Closed in children from the first moment: one that another test starts meanwhile would hold the end open.
            let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
            try #require(socketpair(AF_UNIX, Int32(bitPattern: kind), 0, &ends) == 0)
        #else
            try #require(pipe(&ends) == 0)
        #endif
        return (ends[0], ends[1])
    }

    /// What is told of a pipe until its end, when it is removed.
    private final class Listener: Sendable {
        let heard = Mutex<(number: Int, bytes: [UInt8], hasEnded: Bool)>((0, [], false))

        func listen(to descriptor: Int32, _ poller: PipePoller, on queue: DispatchQueue) {
            queue.async { [self] in
                let number = poller.add(descriptor) { [self] in
                    var buffer = [UInt8](repeating: 0, count: 3)
                    let count = read(descriptor, &buffer, buffer.count)
                    heard.withLock { heard in
                        if count > 0 { heard.bytes += buffer[..<count] }
                        guard count == 0 else { return }
                        heard.hasEnded = true
                        poller.remove(heard.number)
                    }
                }
                heard.withLock { $0.number = number }
            }
        }
    }

    @Test("say all that they hold and their end, however many end at once")
    func ends() async throws {
        let listeners = (0..<100).map { _ in Listener() }
        for (number, listener) in listeners.enumerated() {
            let (reading, writing) = try makePipe()
            listener.listen(to: reading, poller, on: queue)
            DispatchQueue.global().async {
                let words = Array("pipe \(number)".utf8)
                _ = write(writing, words, words.count)
                close(writing)
            }
        }
        try await eventually("all have ended") { listeners.allSatisfy { $0.heard.withLock(\.hasEnded) } }
        for (number, listener) in listeners.enumerated() {
            #expect(listener.heard.withLock { String(decoding: $0.bytes, as: UTF8.self) } == "pipe \(number)")
        }
    }

    @Test("say nothing once they were removed")
    func removed() async throws {
        let (removed, other) = (Listener(), Listener())
        let (reading, writing) = try makePipe()
        defer { close(writing) }
        removed.listen(to: reading, poller, on: queue)
        queue.sync {
            // Nothing is told while the queue is busy.
            _ = write(writing, [1], 1)
            poller.remove(removed.heard.withLock(\.number))
        }
        let (last, end) = try makePipe()
        other.listen(to: last, poller, on: queue)
        close(end)
        try await eventually("the other has ended") { other.heard.withLock(\.hasEnded) }
        #expect(removed.heard.withLock { $0.bytes.isEmpty && !$0.hasEnded })
    }
}
