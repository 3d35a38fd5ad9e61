import FleetTestSupport
import Foundation
import Synchronization
import Testing
import ZeroMQ

/// Owns a socket, on the thread that it is pinned to.
private actor Echo {
    private let thread: SocketThread
    private let context: Context
    private var socket: Socket?
    private var poller = Poller()
    private var item: Poller.Item?
    private var isStopping = false
    private(set) var answered = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(on thread: SocketThread, in context: Context) {
        self.thread = thread
        self.context = context
    }

    /// Opens the socket and says where; not in `init`, which runs on its caller's thread.
    func open() throws -> String {
        let socket = try context.socket(.reply)
        try socket.bind("tcp://127.0.0.1:*")
        let endpoint = try socket.lastEndpoint
        item = poller.add(socket)
        self.socket = consume socket
        return endpoint
    }

    func stop() { isStopping = true }
    func isOnItsThread() -> Bool { thread.isCurrent }

    /// The thread's loop.
    func run() throws {
        let wakeUp = poller.add(thread.wakeUp)
        while !isStopping {
            try poller.wait(timeout: nil)
            if poller.isReadable(wakeUp) {
                thread.wakeUp.drain()
                thread.runPendingJobs()
            }
            if let item, poller.isReadable(item) { try answer() }
        }
        if let item { poller.remove(item) }
        item = nil
        socket = nil
    }

    private func answer() throws {
        var message = Message()
        while try socket?.receive(into: &message) == true {
            _ = try socket?.send(message.array)
            answered += 1
        }
    }
}

@Suite struct SocketThreadTests {
    @Test func aPinnedActorOwnsASocket() async throws {
        let thread = SocketThread(name: "echo")
        let echo = Echo(on: thread, in: Context())
        thread.start { _ in
            echo.assumeIsolated { echo in
                _ = #expect(throws: Never.self) { try echo.run() }
            }
        }
        let endpoint = try await echo.open()
        #expect(await echo.isOnItsThread())
        #expect(!thread.isCurrent)

        for number in 0..<100 { #expect(try ask(endpoint, "\(number)") == bytes("\(number)")) }
        #expect(await echo.answered == 100)
        await echo.stop()
        await thread.finished()
        thread.join()

        // The loop has returned, yet its thread still serves the actor.
        #expect(await echo.isOnItsThread())
        #expect(await echo.answered == 100)
    }

    private func ask(_ endpoint: String, _ question: String) throws -> [UInt8] {
        let socket = try Context().socket(.request)
        try socket.connect(endpoint)
        _ = try socket.send(bytes(question))
        try waitUntilReadable(socket)
        var message = Message()
        _ = try socket.receive(into: &message)
        return message.array
    }

    @Test func callsFromManyTasksRunOneAtATimeAndInTheOrderOfEachTask() async throws {
        let thread = SocketThread(name: "tally")
        let tally = Tally(on: thread)
        thread.start { thread in
            var poller = Poller()
            _ = poller.add(thread.wakeUp)
            while tally.assumeIsolated({ $0.count }) < 8_000 {
                guard (try? poller.wait(timeout: Patience.limit)) == 1 else { return }
                thread.wakeUp.drain()
                thread.runPendingJobs()
            }
        }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<1000 { await tally.add(task, number) }
                }
            }
        }
        await thread.finished()
        #expect(await tally.count == 8_000)
        #expect(await tally.isInOrder)
    }

    @Test func theLoopIsLetGoWhenItHasReturned() async throws {
        let thread = SocketThread(name: "lets go")
        let witness = Witness()
        weak let released = witness
        thread.start { [witness] _ in _ = witness.name }
        await thread.finished()
        _ = consume witness
        let deadline = ContinuousClock.now + Patience.limit
        while released != nil, .now < deadline { await Task.yield() }
        #expect(released == nil)
    }

    #if os(Linux)
        @Test func theThreadEndsWithItsLastReference() async throws {
            let name = "zmq-\(UInt32.random(in: 0..<1 << 24))"
            try await beServed(name)
            let deadline = ContinuousClock.now + Patience.limit
            while try threadNames().contains(name), .now < deadline { await Task.yield() }
            #expect(try !threadNames().contains(name))
        }

        private func beServed(_ name: String) async throws {
            let thread = SocketThread(name: name)
            let tally = Tally(on: thread)
            thread.start { _ in }
            await thread.finished()
            await tally.add(0, 0)
            #expect(await tally.count == 1)
            #expect(try threadNames().contains(name))
        }

        private func threadNames() throws -> [String] {
            let tasks = "/proc/self/task"
            // A thread may end while the list is being read.
            return try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { task in
                try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8).filter { $0 != "\n" }
            }
        }
    #endif

    @Test func theLoopKnowsItsThread() {
        let thread = SocketThread(name: "a name that is too long for Linux")
        let seen = Mutex<[Bool]>([])
        thread.start { thread in
            thread.checkIsolated()
            seen.withLock { $0 = [thread.isCurrent, thread.isIsolatingCurrentContext() == true] }
        }
        thread.join()
        #expect(seen.withLock { $0 } == [true, true])
        #expect(thread.isIsolatingCurrentContext() == false)
        thread.join()  // again, at once
    }
}

private actor Tally {
    private let thread: SocketThread
    private(set) var count = 0
    private(set) var isInOrder = true
    private var last: [Int: Int] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(on thread: SocketThread) { self.thread = thread }

    func add(_ task: Int, _ number: Int) {
        if number != (last[task] ?? -1) + 1 || !thread.isCurrent { isInOrder = false }
        last[task] = number
        count += 1
    }
}

private final class Witness: Sendable {
    let name = "witness"
}
