import FleetTestSupport
import Foundation
import MobiusRuntime
import Testing

@Suite("Threads for handlers", .timeLimit(.minutes(2)))
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
}
