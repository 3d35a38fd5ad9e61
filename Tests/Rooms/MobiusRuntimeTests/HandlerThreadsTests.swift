import FleetTestSupport
import Foundation
import MobiusRuntime
import Synchronization
import TestTraits
import Testing

@Suite("Threads for handlers", .patient)
struct HandlerThreadsTests {
    @Test("run one job after the other in their order when one may run at a time")
    func order() async throws {
        let threads = HandlerThreads(name: "test", limit: 1)
        let done = Journey<Int>()
        for start in stride(from: 0, to: 300, by: 3) {
            threads.submit((start..<start + 3).map { number in { done.add(number) } })
        }
        try await done.wait { $0.count == 300 }
        #expect(done.elements == Array(0..<300))
    }

    @Test("run as many jobs side by side as they may, when jobs block")
    func growth() async throws {
        let threads = HandlerThreads(name: "test", limit: 40)
        let begun = Journey<Int>()
        let gate = DispatchSemaphore(value: 0)
        threads.submit(
            (0..<41).map { number in
                {
                    begun.add(number)
                    gate.wait()
                }
            })
        try await begun.wait(for: "40 jobs at once") { $0.count == 40 }
        // The last one has to wait for an end, which is the only way it can begin.
        #expect(begun.elements.sorted() == Array(0..<40))
        gate.signal()
        try await begun.wait { $0.count == 41 }
        for _ in 0..<40 { gate.signal() }
    }

    @Test("are as many also while tasks keep all of Swift's threads busy", .ownThread)
    func busyTasks() async throws {
        let (busy, over) = (Journey<Int>(), Journey<Bool>())
        let (begun, gate) = (Journey<Int>(), DispatchSemaphore(value: 0))
        let most = PatientWait(within: .seconds(30))
        let count = ProcessInfo.processInfo.activeProcessorCount
        for number in 0..<count {
            Task.detached {
                busy.add(number)
                while over.elements.isEmpty, !most.isOver {}
            }
        }
        defer { over.add(true) }
        try await busy.wait { $0.count == count }
        let threads = HandlerThreads(name: "test", limit: 10)
        threads.submit(
            (0..<10).map { number in
                {
                    begun.add(number)
                    gate.wait()
                }
            })
        try await begun.wait(for: "10 jobs at once") { $0.count == 10 }
        #expect(!most.isOver)
        for _ in 0..<10 { gate.signal() }
    }

    @Test("make do with the threads that the system has, and lose no job")
    func refusal() async throws {
        let left = Mutex(3)
        let asked = Journey<Bool>()
        let threads = HandlerThreads(name: "test", limit: 40) { _, body in
            let has = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if has { Thread.detachNewThread(body) }
            asked.add(has)
            return has
        }
        let begun = Journey<Int>()
        let gate = DispatchSemaphore(value: 0)
        threads.submit(
            (0..<10).map { number in
                {
                    begun.add(number)
                    gate.wait()
                }
            })
        // All that wait are asked for again and again, for as long as those that there are are kept.
        try await asked.wait(for: "three threads and some refusals") { asked in
            asked.count { $0 } == 3 && asked.count { !$0 } >= 3
        }
        try await begun.wait { $0.count == 3 }
        for _ in 0..<10 { gate.signal() }
        try await begun.wait { $0.count == 10 }
        #expect(begun.elements.sorted() == Array(0..<10))
    }

    @Test("do not lose jobs that several threads hand in")
    func stress() async throws {
        let threads = HandlerThreads(name: "test", limit: 4)
        let done = Journey<Int>()
        let submitters = (0..<4).map { submitter in
            Thread { for number in 0..<1000 { threads.submit([{ done.add(submitter * 1000 + number) }]) } }
        }
        for submitter in submitters { submitter.start() }
        try await done.wait { $0.count == 4000 }
        #expect(Set(done.elements).count == 4000)
    }

    @Test("leave quick jobs to whoever brings them and helps")
    func help() async throws {
        let threads = HandlerThreads(name: "test", limit: 4)
        let helper = Helper(threads)
        let done = Journey<Int>()
        // Nobody knows yet that they are quick.
        #expect(helper.bring([{ done.add(0) }]) == .notNeeded)
        try await done.wait { $0.count == 1 }
        try await helper.learnsThatJobsAreQuick()
        while true {
            let ran = Journey<Bool>()
            let help = helper.bring([{ ran.add(helper.isCurrent) }, { ran.add(helper.isCurrent) }])
            try await ran.wait { $0.count == 2 }
            if help != .done(more: false) { continue }  // the one before, or this one, seemed to take long
            #expect(ran.elements.first == true)
            break
        }
    }

    @Test("lose no job, whatever jobs take and whoever helps", arguments: [1, 2, 8])
    func helpUnderStress(limit: Int) async throws {
        let (done, count) = (Journey<Int>(), 6000)
        let edge = Edge(HandlerThreads(name: "test", limit: limit), batches: count / 3) { number in
            // Most are quick; some keep whoever runs them, and a few long enough to have a helper replaced.
            let microseconds = number % 1000 == 999 ? 15_000 : number % 50 == 0 ? 300 : 0
            if microseconds > 0 {
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(microseconds))
            }
            done.add(number)
        }
        edge.lead()
        try await done.wait(for: "all jobs") { $0.count == count }
        #expect(Set(done.elements).count == count)
    }

    @Test("replace a helper whose job takes long, once, and give the other jobs to threads")
    func replacement() async throws {
        let threads = HandlerThreads(name: "test", limit: 2)
        try await Helper(threads).learnsThatJobsAreQuick()
        let helper = Helper(threads)
        let (gate, turn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (done, held) = (Journey<String>(), Journey<Int>())
        let (brought, ended) = (Journey<Bool>(), Journey<HandlerThreads.InlineResult>())
        Thread.detachNewThread {
            while true {
                brought.add(true)
                let help = helper.bring([
                    {
                        done.add("on \(helper.isCurrent ? "the helper" : "a thread")")
                        if helper.isCurrent {
                            // On a busy machine it may have been replaced before, for want of a processor.
                            held.add(helper.timesReplaced)
                            gate.wait()
                        }
                        turn.signal()
                    },
                    {
                        done.add("beside")
                        turn.signal()
                    },
                ])
                ended.add(help)
                if !held.elements.isEmpty { return }
                for _ in 1...2 { turn.wait() }
            }
        }
        try await held.wait(for: "a helper that is kept") { !$0.isEmpty }
        let times = held.elements[0]
        try await helper.replaced.wait(for: "the replacement") { $0.count == times + 1 }
        let count = brought.elements.count
        try await done.wait(for: "the other jobs") { $0.count { $0 == "beside" } == count }
        #expect(ended.elements.count == count - 1)
        // Somebody else may help while the one that was replaced has not come back.
        let next = Helper(threads)
        try await next.learnsThatJobsAreQuick()
        gate.signal()
        try await ended.wait { $0.count == count }
        #expect(ended.elements.last == .replaced)
        #expect(helper.replaced.elements.count == times + 1)
        try await next.replaced.wait { $0.count == next.timesReplaced }
    }
}

/// Brings jobs and helps with them, as a worker's socket thread does.
private final class Helper: Sendable {
    let replaced = Journey<Bool>()
    private let threads: HandlerThreads
    private let current = Mutex<pthread_t?>(nil)
    private let returned = Mutex(0)

    init(_ threads: HandlerThreads) {
        self.threads = threads
    }

    /// Whether the caller runs on the thread that helps.
    var isCurrent: Bool { current.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

    func bring(_ jobs: [@Sendable () -> Void]) -> HandlerThreads.InlineResult {
        current.withLock { $0 = pthread_self() }
        threads.submit(jobs, runsInline: true)
        let help = threads.runInline(onStall: { [replaced] in replaced.add(true) })
        if help == .replaced { returned.withLock { $0 += 1 } }
        return help
    }

    /// How often it came back from helping and had been replaced.
    var timesReplaced: Int { returned.withLock { $0 } }

    /// Brings jobs that do nothing until it has to help: on a busy machine some seem to take long.
    func learnsThatJobsAreQuick() async throws {
        let done = Journey<Int>()
        for number in 1...10_000 {
            let help = bring([{ done.add(number) }])
            try await done.wait { $0.count == number }
            if help == .done(more: false) { return }
        }
        Issue.record("jobs that do nothing never were quick")
    }
}

/// Brings batches of jobs and helps with them, on one thread after the other.
// @unchecked Sendable: like a worker's edge it is used by one thread at a time.
private final class Edge: @unchecked Sendable {
    private let threads: HandlerThreads
    private let run: @Sendable (Int) -> Void
    private let batches: Int
    private var brought = 0
    private var mayHelp = false

    init(_ threads: HandlerThreads, batches: Int, run: @escaping @Sendable (Int) -> Void) {
        self.threads = threads
        self.batches = batches
        self.run = run
    }

    func lead() {
        Thread.detachNewThread { [self] in
            while brought < batches || mayHelp {
                if brought < batches {
                    let first = brought * 3
                    brought += 1
                    threads.submit((first..<first + 3).map { number in { [run] in run(number) } }, runsInline: true)
                    mayHelp = true
                }
                let help = threads.runInline(onStall: { self.lead() })
                if help == .replaced { return }
                mayHelp = help == .done(more: true)
            }
        }
    }
}

extension HandlerThreads {
    fileprivate func submit(_ jobs: [@Sendable () -> Void], runsInline: Bool = false) {
        submit(jobs.map { job in Job { _ in job() } }, runsInline: runsInline)
    }
}
