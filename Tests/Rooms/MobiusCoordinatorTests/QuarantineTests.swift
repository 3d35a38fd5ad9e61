import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusDriver
import MobiusWire
import MobiusWorker
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Events on which `update` traps, in real processes.
@Suite(.patient)
struct QuarantineTests {
    @Test func anEventThatTrapsTwiceHoldsItsLoopAndNoOther() async throws {
        let trap = try Trap()
        for start in 1...2 {
            let process = try await trap.start()
            try await process.answers("send main a\(start) {\"add\":{\"_0\":1}}", "applied a\(start)")
            try await process.answers("send other b\(start) {\"add\":{\"_0\":10}}", "applied b\(start)")
            #expect(try await trap.end(process, by: "trap") == .signalled(SIGILL))
            #expect(process.errors.elements.contains { $0.contains("poison") })
        }
        let process = try await trap.start()
        try await process.log("loop held: one of its events trapped the process repeatedly")
        try await process.answers("held", "held main 2 from outside, key poison")
        try await process.answers("send main a3 {\"add\":{\"_0\":1}}", "refused a3: The loop main is held")
        try await process.answers("send main poison {\"trap\":{}}", "refused poison: The loop main is held")
        try await process.answers("send other b3 {\"add\":{\"_0\":10}}", "applied b3")
        try await process.answers("total other", "total other 30")
        try process.type("stop\n")
        #expect(try await process.end() == .exited(0))
    }

    /// The journal of a loop that is held because of the event `poison`.
    private func held() async throws -> Trap {
        let trap = try Trap()
        for start in 1...2 {
            let process = try await trap.start()
            try await process.answers("send main a\(start) {\"add\":{\"_0\":1}}", "applied a\(start)")
            _ = try await trap.end(process, by: "trap")
        }
        return trap
    }

    @Test func aMendedBuildAppliesTheEventAfterARelease() async throws {
        let trap = try await held()
        let process = try await trap.start(mended: true)
        try await process.answers("held", "held main 2")
        try await process.answers("release main", "released main")
        try await process.answers("send main poison {\"trap\":{}}", "applied poison")
        try await process.answers("total main", "total main 1002")
        try await process.answers("release main", "released main")  // once is enough, twice does no harm
        try await process.answers("held", "held.")
        try await process.kill()
        let next = try await trap.start(mended: true)
        try await next.answers("total main", "total main 1002")
        try await next.answers("held", "held.")
        #expect(!next.output.elements.contains { $0.hasPrefix("held main") })
    }

    @Test func aDroppedEventIsConfirmedAndNeverApplied() async throws {
        let trap = try await held()
        let first = try await trap.start()
        try await first.answers("drop main", "released main")
        // The drop is remembered until the event comes again.
        try await first.kill()
        let second = try await trap.start()
        try await second.answers("send main poison {\"trap\":{}}", "applied poison")
        try await second.answers("send main a3 {\"add\":{\"_0\":1}}", "applied a3")
        try await second.answers("total main", "total main 3")
        try await second.kill()
        // Nor is it when the journal is replayed, or when it is sent once more.
        let third = try await trap.start()
        try await third.answers("send main poison {\"trap\":{}}", "applied poison")
        try await third.answers("total main", "total main 3")
    }

    @Test func aReleaseWithoutAMendedBuildTakesTwoMoreTraps() async throws {
        let trap = try await held()
        let process = try await trap.start()
        try await process.answers("release main", "released main")
        _ = try await trap.end(process, by: "trap")
        _ = try await trap.end(try await trap.start(), by: "trap")
        try await trap.start().answers("held", "held main 2")
    }

    @Test func anEventThatTrapsOnceIsTriedAgainAndForgotten() async throws {
        let trap = try Trap()
        _ = try await trap.end(try await trap.start(), by: "trap")
        let second = try await trap.start(mended: true)
        try await second.log("the event is tried once more")
        try await second.answers("send main poison {\"trap\":{}}", "applied poison")
        // It is forgotten by a commit of its own, behind that one and before this one.
        try await second.answers("send main a9 {\"add\":{\"_0\":0}}", "applied a9")
        try await second.kill()
        // Replayed, it traps for the first time again.
        let third = try TestProcess(
            "trapping-coordinator", [trap.folder.file("journal")], environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(try await third.end() == .signalled(SIGILL))
        try await trap.start(mended: true).answers("total main", "total main 1000")
    }

    @Test func anEventOfTheJournalThatTrapsHoldsItsLoopAndCannotBeDropped() async throws {
        let trap = try Trap()
        let first = try await trap.start(mended: true)
        try await first.answers("send order poison {\"trap\":{}}", "applied poison")
        try await first.kill()
        for _ in 1...2 {
            let process = try TestProcess(
                "trapping-coordinator", [trap.folder.file("journal")], environment: ["SWIFT_BACKTRACE": "enable=no"])
            #expect(try await process.end() == .signalled(SIGILL))
        }
        let process = try await trap.start()
        try await process.answers("held", "held order 2")
        try await process.answers("drop order", "refused order: Event 1 of loop order was applied before")
        try await process.answers("send main a {\"add\":{\"_0\":1}}", "applied a")
        try await process.kill()
        let mended = try await trap.start(mended: true)
        try await mended.answers("release order", "released order")
        try await mended.answers("total order", "total order 1000")
    }

    @Test(arguments: [("recurse", SIGSEGV), ("abort", SIGABRT)])
    func everyWayToTrapCounts(event: String, signal: Int32) async throws {
        let trap = try Trap()
        for _ in 1...2 {
            #expect(try await trap.end(try await trap.start(), by: event) == .signalled(signal))
        }
        try await trap.start().answers("held", "held main 2")
    }

    @Test func anUpdateThatIsKilledFromOutsideDoesNotCount() async throws {
        let trap = try Trap()
        for _ in 1...3 {
            #expect(try await trap.end(try await trap.start(), by: "killed") == .signalled(SIGKILL))
        }
        let process = try await trap.start()
        try await process.answers("held", "held.")
        #expect(process.output.elements == ["listening", "held."])
        #expect(process.errors.elements == [])
    }

    @Test func aTrapOfAHandlerIsNoFaultOfAnEvent() async throws {
        let trap = try Trap()
        let first = try await trap.start()
        try first.type("send main beside {\"trapBeside\":{}}\n")
        #expect(try await first.end() == .signalled(SIGILL))
        // Its effect is carried out again at each start.
        for _ in 1...2 {
            let process = try TestProcess(
                "trapping-coordinator", [trap.folder.file("journal")], environment: ["SWIFT_BACKTRACE": "enable=no"])
            #expect(try await process.end() == .signalled(SIGILL))
            #expect(!process.errors.elements.contains { $0.contains("tried once more") })
        }
    }

    @Test func theFailureOfAnEffectCanBePoisonToo() async throws {
        let trap = try Trap()
        let first = try await trap.start()
        try first.type("send main ask {\"askNobody\":{}}\n")
        #expect(try await first.end() == .signalled(SIGILL))
        let second = try TestProcess(
            "trapping-coordinator", [trap.folder.file("journal")], environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(try await second.end() == .signalled(SIGILL))
        let third = try await trap.start()
        try await third.answers("held", "held main 2 the failure of main/1/0")
        try await third.answers("drop main", "released main")
        try await third.answers("send main a {\"add\":{\"_0\":1}}", "applied a")
        try await third.answers("total main", "total main 1")
        try third.type("stop\n")
        #expect(try await third.end() == .exited(0))
        try await trap.start().answers("total main", "total main 1")
    }

    @Test func whatTheJournalThreadAppliesAfterACommitCountsToo() async throws {
        let trap = try Trap()
        let first = try await trap.start()
        // Nothing else is under way, so the socket thread sleeps when the commit shows that this cannot be sent.
        try first.type("send main ask {\"askTooMuch\":{}}\n")
        #expect(try await first.end() == .signalled(SIGSEGV))
        let second = try TestProcess(
            "trapping-coordinator", [trap.folder.file("journal")], environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(try await second.end() == .signalled(SIGSEGV))
        try await trap.start().answers("held", "held main 2 the failure of main/1/0")
    }

    @Test func theReportOfAWorkerThatIsDroppedIsAcknowledged() async throws {
        let trap = try Trap()
        let endpoint = "ipc://" + trap.folder.file("socket")
        let worker = Worker<TrapEffect, TrapEvent>(
            WorkerSettings(pools: ["test"], connect: endpoint, timing: .quick),
            handler: EffectRouter<TrapEffect, TrapEvent>().routeCase(TrapEffect.work).toEvent { .trap }, logger: .quiet)
        let working = Task { try await worker.run() }
        let first = try await trap.start(bind: endpoint)
        try first.type("send main ask {\"askWorker\":{}}\n")
        #expect(try await first.end() == .signalled(SIGILL))
        // It has no acknowledgement, and tells the next one; but of a new attempt, when it was not adopted.
        let second = try await trap.start(bind: endpoint)
        #expect(try await second.end() == .signalled(SIGILL))
        let third = try await trap.start(bind: endpoint)
        try await third.answers("held", "held main 2 report 1 of main/1/0@1.1")
        try await third.answers("drop main", "released main")
        // It leaves once all that it said is acknowledged.
        worker.drain()
        try await working.value
        try await third.answers("send main a {\"add\":{\"_0\":1}}", "applied a")
        try await third.answers("total main", "total main 1")
        try third.type("stop\n")
        #expect(try await third.end() == .exited(0))
        try await trap.start().answers("total main", "total main 1")
    }

    /// A client sends it again after each restart: read before its breadcrumb, it would end the process for ever.
    @Test(arguments: ["main", "new"])
    func anEventThatTrapsWhileItIsReadHoldsItsLoop(name: String) async throws {
        let trap = try Trap()
        let client = FleetClient(connect: "ipc://" + trap.folder.file("clients"), timeout: .seconds(3600))
        let loop = try #require(LoopID(name))
        let sending = Task { try await client.send(TrapSealed.sealed(TrapSealed.Nothing()), loop: loop, key: "poison") }
        for _ in 1...2 {
            let process = try await trap.start(clients: client.endpoint)
            #expect(try await process.end() == .signalled(SIGILL))
        }
        let process = try await trap.start(clients: client.endpoint)
        let error = await #expect(throws: FleetClientError.self) { try await sending.value }
        #expect(error?.message.contains("is held") == true)
        try await process.answers("held", "held \(name) 2 from outside, key poison")
        try await process.answers("drop \(name)", "released \(name)")
        #expect(
            try await client.send(TrapSealed.sealed(TrapSealed.Nothing()), loop: loop, key: "poison").outcome
                == .dropped)
        try await process.answers("total \(name)", "total \(name) 0")
        await client.close()
        try process.type("stop\n")
        #expect(try await process.end() == .exited(0))
    }

    @Test func anEventThatAsksForWhatCannotBeHoldsItsLoopAndNoOther() async throws {
        let trap = try Trap()
        let first = try await trap.start()
        try await first.answers("send main a1 {\"add\":{\"_0\":1}}", "applied a1")
        try await first.answers("send main odd {\"askForNone\":{}}", "refused odd: The loop main is held")
        try await first.log("loop held: one of its events caused a program error")
        try await first.answers("held", "held main 0 from outside, key odd")
        try await first.answers("send main a2 {\"add\":{\"_0\":1}}", "refused a2: The loop main is held")
        try await first.answers("send other b1 {\"add\":{\"_0\":10}}", "applied b1")
        try await first.answers("drop main", "refused main: Loop main is held: An effect cannot be written")
        try first.type("stop\n")
        #expect(try await first.end() == .exited(0))
        // The next start knows, and everything about a held loop can be done.
        let second = try await trap.start()
        try await second.answers("held", "held main 2 from outside, key odd")
        try await second.answers("total other", "total other 10")
        try await second.answers("drop main", "released main")
        try await second.answers("send main odd {\"askForNone\":{}}", "applied odd")
        try await second.answers("total main", "total main 1")
        try second.type("stop\n")
        #expect(try await second.end() == .exited(0))
    }

    @Test func aMendedBuildAppliesWhatCouldNotBe() async throws {
        let trap = try Trap()
        let first = try await trap.start()
        try await first.answers("send main odd {\"askForNone\":{}}", "refused odd: The loop main is held")
        try await first.kill()
        let mended = try await trap.start(mended: true)
        try await mended.answers("release main", "released main")
        try await mended.answers("send main odd {\"askForNone\":{}}", "applied odd")
        try await mended.answers("held", "held.")
    }

    @Test func backtracesStayAsTheyWere() async throws {
        let trap = try Trap()
        let process = try await trap.start(backtraces: true)
        #expect(try await trap.end(process, by: "trap") == .signalled(SIGILL))
        #expect(process.errors.elements.contains { $0.contains("Program crashed") })
        #expect(process.errors.elements.contains { $0.contains("Trapper") })
    }
}
