import Foundation
import Logging
import MobiusProcess
import ServiceLifecycle
import Synchronization
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Running services", .patient)
struct ServicesTests {
    private let diary = Diary()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("The return of the first service stops the others, the last of the list first")
    func firstReturns() async throws {
        let loop = Brief(name: "loop", diary: diary)
        try await OrderlyGroup([loop, waiting("wire"), waiting("disk")], logger: logger).run()
        #expect(diary.entries == ["loop ends", "disk stops", "wire stops"])
    }

    @Test("A service that returns before its turn, while others stop, does not cancel them")
    func earlyReturn() async throws {
        let loop = Brief(name: "loop", diary: diary, after: "last closing")
        let last = Closing(diary: diary, until: "loop ends")
        let group = OrderlyGroup([loop, waiting("wire"), last], logger: logger)
        group.stop()
        try await group.run()
        #expect(diary.entries == ["last closing", "loop ends", "last closed", "wire stops"])
    }

    @Test("A stop asked for before the start is kept")
    func stopBeforeStart() async throws {
        let group = OrderlyGroup([waiting("one"), waiting("two")], logger: logger)
        group.stop()
        group.stop()
        try await group.run()
        #expect(diary.entries == ["two stops", "one stops"])
    }

    @Test("An error stops the others in order and is thrown")
    func failure() async throws {
        let group = OrderlyGroup([waiting("one"), Failing(), waiting("three")], logger: logger)
        await #expect(throws: Failing.Fault.self) { try await group.run() }
        #expect(diary.entries == ["three stops", "one stops"])
    }

    @Test("After the limit of a graceful stop, the rest is cancelled")
    func limit() async throws {
        let services: [any Service] = [Brief(name: "loop", diary: diary), Stubborn(diary: diary)]
        let group = OrderlyGroup(services, logger: logger, shutdownLimit: .milliseconds(20))
        _ = try? await group.run()
        #expect(diary.entries == ["loop ends", "stubborn cancelled"])
    }

    @Test("A watch reports each signal with its running number")
    func signals() async throws {
        let (seen, report) = AsyncStream.makeStream(of: [Int].self)
        // Not SIGUSR2, with which other tests of this process interrupt threads.
        let watch = SignalWatch([SIGUSR1, SIGVTALRM]) { signal, count in report.yield([Int(signal), count]) }
        var iterator = seen.makeAsyncIterator()
        kill(getpid(), SIGUSR1)
        #expect(await iterator.next() == [Int(SIGUSR1), 1])
        kill(getpid(), SIGVTALRM)
        #expect(await iterator.next() == [Int(SIGVTALRM), 2])
        kill(getpid(), SIGVTALRM)
        #expect(await iterator.next() == [Int(SIGVTALRM), 3])
        withExtendedLifetime(watch) {}
    }

    private func waiting(_ name: String) -> some Service {
        Waiting(name: name, diary: diary)
    }
}

/// What happened, in order; services may wait for an entry.
private final class Diary: Sendable {
    private let state = Mutex<(entries: [String], waiters: [String: [CheckedContinuation<Void, Never>]])>(([], [:]))

    var entries: [String] { state.withLock { $0.entries } }

    func write(_ entry: String) {
        let waiters = state.withLock { state in
            state.entries.append(entry)
            return state.waiters.removeValue(forKey: entry) ?? []
        }
        waiters.forEach { $0.resume() }
    }

    func wait(for entry: String) async {
        await withCheckedContinuation { continuation in
            let there = state.withLock { state in
                if state.entries.contains(entry) { return true }
                state.waiters[entry, default: []].append(continuation)
                return false
            }
            if there { continuation.resume() }
        }
    }
}

private struct Waiting: Service {
    let name: String
    let diary: Diary

    func run() async throws {
        try await gracefulShutdown()
        diary.write("\(name) stops")
    }
}

private struct Brief: Service {
    let name: String
    let diary: Diary
    var after: String?

    func run() async throws {
        if let after { await diary.wait(for: after) }
        diary.write("\(name) ends")
    }
}

private struct Closing: Service {
    let diary: Diary
    let until: String

    func run() async throws {
        try await gracefulShutdown()
        diary.write("last closing")
        await diary.wait(for: until)
        diary.write("last closed")
    }
}

private struct Failing: Service {
    struct Fault: Error {}

    func run() async throws { throw Fault() }
}

private struct Stubborn: Service {
    let diary: Diary

    func run() async throws {
        // Ignores graceful shutdown, obeys cancellation only.
        try? await Task.sleep(for: .seconds(3600))
        diary.write(Task.isCancelled ? "stubborn cancelled" : "stubborn ended")
    }
}
