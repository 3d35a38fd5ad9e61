import FleetTestSupport
import Foundation
import MobiusTransport
import Testing

@Suite struct SocketThreadTests {
    @Test func theBodyIsLetGoWhenItHasReturned() async throws {
        let thread = SocketThread(name: "lets go")
        let witness = Witness()
        weak let released = witness
        thread.start { [witness] in _ = witness.name }
        await thread.finished()
        _ = consume witness
        let deadline = ContinuousClock.now + Patience.limit
        while released != nil, .now < deadline { await Task.yield() }
        #expect(released == nil)
    }

    @Test func itsEndIsToldToAllThatWait() async throws {
        let thread = SocketThread(name: "a name that is too long for Linux")
        let (begin, ran) = (DispatchSemaphore(value: 0), Journey<Int>())
        thread.start {
            begin.wait()
            ran.add(1)
        }
        let others = (0..<3).map { _ in Task { await thread.finished() } }
        begin.signal()
        thread.join()
        #expect(ran.elements == [1])
        for other in others { await other.value }
        thread.join()  // again, at once
    }

    #if os(Linux)
        @Test func theThreadEndsWithItsBody() async throws {
            let name = "zmq-\(UInt32.random(in: 0..<1 << 24))"
            let end = DispatchSemaphore(value: 0)
            let thread = SocketThread(name: name)
            thread.start { end.wait() }
            try await eventually("it is there") { try threadNames().contains(name) }
            end.signal()
            await thread.finished()
            try await eventually("it is gone") { try !threadNames().contains(name) }
        }

        private func threadNames() throws -> [String] {
            let tasks = "/proc/self/task"
            // A thread may end while the list is being read.
            return try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { task in
                try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8).filter { $0 != "\n" }
            }
        }
    #endif
}

private final class Witness: Sendable {
    let name = "witness"
}
