import Dispatch
import FleetTestSupport
import MobiusLauncher
import Synchronization
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Descriptors that are polled", .patient)
struct ReadPollerTests {
    private let queue = DispatchQueue(label: "pipes")
    private let poller: ReadPoller

    init() throws {
        poller = try ReadPoller(queue: queue)
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
        let heard = Mutex<(bytes: [UInt8], hasEnded: Bool)>(([], false))

        @discardableResult
        func listen(to descriptor: Int32, _ poller: ReadPoller) -> Int {
            poller.add(descriptor) { [self, weak poller] number in
                var buffer = [UInt8](repeating: 0, count: 3)
                let count = read(descriptor, &buffer, buffer.count)
                heard.withLock { heard in
                    if count > 0 { heard.bytes += buffer[..<count] }
                    guard count == 0 else { return }
                    heard.hasEnded = true
                    poller?.remove(number)
                }
            }
        }
    }

    @Test("say all that they hold and their end, however many end at once")
    func ends() async throws {
        let listeners = (0..<100).map { _ in Listener() }
        for (number, listener) in listeners.enumerated() {
            let (reading, writing) = try makePipe()
            listener.listen(to: reading, poller)
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
        queue.sync {
            // Nothing is told while the queue is busy.
            let number = removed.listen(to: reading, poller)
            _ = write(writing, [1] as [UInt8], 1)
            poller.remove(number)
        }
        let (last, end) = try makePipe()
        other.listen(to: last, poller)
        close(end)
        try await eventually("the other has ended") { other.heard.withLock(\.hasEnded) }
        #expect(removed.heard.withLock { $0.bytes.isEmpty && !$0.hasEnded })
    }

    @Test("are closed when their poller is released")
    func released() async throws {
        let (reading, writing) = try makePipe()
        defer { close(writing) }
        var brief: ReadPoller? = try ReadPoller(queue: queue)
        let listener = Listener()
        try listener.listen(to: reading, #require(brief))
        _ = write(writing, [UInt8](1...3), 3)
        try await eventually("it was read") { listener.heard.withLock(\.bytes) == Array(1...3) }
        brief = nil
        // Its reader is gone: that is the end for whoever writes.
        try await eventually("it was closed") {
            var polled = pollfd(fd: writing, events: 0, revents: 0)
            return poll(&polled, 1, 0) == 1 && polled.revents & Int16(POLLHUP) != 0
        }
    }
}
