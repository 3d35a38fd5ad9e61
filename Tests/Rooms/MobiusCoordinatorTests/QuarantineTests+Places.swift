import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusWire
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Traps in the program's code outside of `update`: each costs its own loop or the reader, and no other loop.
extension QuarantineTests {
    private func client(of trap: Trap, isForPeople: Bool = false) -> FleetClient {
        FleetClient(
            connect: "ipc://" + trap.folder.file("clients"), timeout: .seconds(3600), isForPeople: isForPeople)
    }

    @Test(arguments: ["decodeEffect", "key", "affinity", "target"])
    func aPendingEffectThatTrapsWhileItIsPlannedHoldsItsLoop(snare: String) async throws {
        let trap = try Trap()
        let first = try await trap.start()
        try await first.answers("send other b {\"add\":{\"_0\":10}}", "applied b")
        // What is for a held loop waits.
        try await first.answers("send sink odd {\"askForNone\":{}}", "refused odd")
        try await first.answers("send main keyed {\"askKeyed\":{}}", "applied keyed")
        try await first.answers("send main tell {\"askLoop\":{\"_0\":\"sink\"}}", "applied tell")
        try await first.kill()
        for _ in 1...2 { #expect(try await trap.startInVain(snare: snare) == .signalled(SIGILL)) }
        let process = try await trap.start(snare: snare)
        let what = "planning the effect main/\(snare == "target" ? 2 : 1)/0"
        try await process.answers("held", "held main 2 \(what)")
        try await process.answers("drop main", "refused main: Loop main is held because \(what) trapped the process")
        try await process.answers("total other", "total other 10")
        try await process.kill()
        let mended = try await trap.start()
        try await mended.answers("release main", "released main")
        try await mended.answers("send main a {\"add\":{\"_0\":1}}", "applied a")
        try await mended.answers("total main", "total main 1")
    }

    @Test func aCancelsRouteThatTrapsHoldsItsLoopAndCanBeDropped() async throws {
        let trap = try Trap()
        let first = try await trap.start(snare: "cancels")
        try await first.answers("send other b {\"add\":{\"_0\":10}}", "applied b")
        try await first.answers("send main keyed {\"askKeyed\":{}}", "applied keyed")
        try first.type("send main cancel {\"cancelKeyed\":{}}\n")
        #expect(try await first.end() == .signalled(SIGILL))
        #expect(try await trap.startInVain(snare: "cancels") == .signalled(SIGILL))
        let process = try await trap.start(snare: "cancels")
        try await process.answers("held", "held main 2 the .cancels route of main/2/0")
        try await process.answers("total other", "total other 10")
        try await process.answers("drop main", "released main")
        try await process.answers("send main a {\"add\":{\"_0\":1}}", "applied a")
        try await process.kill()
        let next = try await trap.start(snare: "cancels")
        try await next.answers("held", "held.")
        try await next.answers("total main", "total main 1")
    }

    @Test func aModelThatTrapsWhileItIsDecodedHoldsItsLoop() async throws {
        let trap = try Trap()
        for start in 1...2 {
            let process = try await trap.start()
            try await process.answers("send main a\(start) {\"add\":{\"_0\":1000}}", "applied a\(start)")
            try await process.answers("send other b\(start) {\"add\":{\"_0\":10}}", "applied b\(start)")
            try process.type("stop\n")
            #expect(try await process.end() == .exited(0))
        }
        // The first time it is the earlier snapshot, from which the later one is checked.
        for _ in 1...3 { #expect(try await trap.startInVain(snare: "decodeModel") == .signalled(SIGILL)) }
        let process = try await trap.start(snare: "decodeModel")
        try await process.answers("held", "held main 2 decoding the model after event 2")
        try await process.answers("drop main", "refused main: Loop main is held because decoding the model")
        try await process.answers("total other", "total other 20")
        try await process.kill()
        let mended = try await trap.start()
        try await mended.answers("release main", "released main")
        try await mended.answers("total main", "total main 2000")
    }

    @Test func aModelThatTrapsInASnapshotHoldsItsLoop() async throws {
        let trap = try Trap()
        for start in 1...2 {
            let process = try await trap.start(snare: "encodeModel")
            try await process.answers("send main a\(start) {\"add\":{\"_0\":1000}}", "applied a\(start)")
            try await process.answers("send other b\(start) {\"add\":{\"_0\":10}}", "applied b\(start)")
            try process.type("stop\n")
            #expect(try await process.end() == .signalled(SIGILL))
        }
        let process = try await trap.start(snare: "encodeModel")
        try await process.answers("held", "held main 2 encoding the model")
        try await process.answers("total other", "total other 20")
        try process.type("stop\n")
        #expect(try await process.end() == .exited(0))
        let mended = try await trap.start()
        try await mended.answers("release main", "released main")
        try await mended.answers("total main", "total main 2000")
    }

    @Test func aModelThatTrapsForAReaderHoldsItsLoop() async throws {
        let trap = try Trap()
        let client = client(of: trap)
        let first = try await trap.start(clients: client.endpoint, snare: "encodeModel")
        try await first.answers("send other b {\"add\":{\"_0\":10}}", "applied b")
        try await first.answers("send main a {\"add\":{\"_0\":1000}}", "applied a")
        let reading = Task { try await client.model(of: .main) }
        #expect(try await first.end() == .signalled(SIGILL))
        let second = try await trap.start(clients: client.endpoint, snare: "encodeModel")
        #expect(try await second.end() == .signalled(SIGILL))
        let third = try await trap.start(clients: client.endpoint, snare: "encodeModel")
        // Of a held loop readers get the last good model; there is none that can be encoded.
        await #expect(throws: FleetClientError.self) { try await reading.value }
        try await third.answers("held", "held main 2 encoding the model")
        try await third.answers("total other", "total other 10")
        await client.close()
    }

    @Test func theModelOfAnEndedLoopThatTrapsIsNotEncodedAgain() async throws {
        let trap = try Trap()
        let client = client(of: trap)
        let first = try await trap.start(clients: client.endpoint, snare: "encodeModel")
        try await first.answers("send main b {\"add\":{\"_0\":10}}", "applied b")
        try await first.answers("send order a {\"add\":{\"_0\":1000}}", "applied a")
        // Its last model is a snapshot of its own.
        #expect(try await trap.end(first, by: "end", loop: "order", key: "end") == .signalled(SIGILL))
        let second = try await trap.start(clients: client.endpoint, snare: "encodeModel")
        let order = try #require(LoopID("order"))
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: order) }
        #expect(error?.message.contains("is not computed: that trapped the process before") == true)
        try await second.answers("total main", "total main 10")
        await client.close()
    }

    @Test func aDeadLetterThatTrapsWhileItIsPlannedIsNotPlannedAgain() async throws {
        let trap = try Trap()
        let client = client(of: trap)
        let first = try await trap.start(mended: true, clients: client.endpoint)
        try await first.answers("send main ask {\"askNobody\":{}}", "applied ask")
        try await eventually("a dead letter") { try await !client.deadLetters().elements.isEmpty }
        #expect(try await client.deadLetters().elements.first?.pool == "nobody")
        try await first.kill()
        let second = try await trap.start(mended: true, clients: client.endpoint, snare: "letter")
        let listing = Task { try await client.deadLetters().elements }
        #expect(try await second.end() == .signalled(SIGILL))
        let third = try await trap.start(mended: true, clients: client.endpoint, snare: "letter")
        let letter = try #require(try await listing.value.first)
        #expect(letter.pool == nil)
        #expect(try await client.deadLetter(letter.id).letter.pool == nil)
        let error = await #expect(throws: FleetClientError.self) { try await client.retryDeadLetter(letter.id) }
        #expect(error?.message.hasPrefix("Planning the effect main/1/0 trapped the process") == true)
        try await third.answers("held", "held.")
        try await third.answers("total main", "total main 1000")
        await client.close()
    }

    @Test func aRedactionThatTrapsIsNotCalledAgain() async throws {
        let trap = try Trap()
        let people = client(of: trap, isForPeople: true)
        let first = try await trap.start(clients: people.endpoint, snare: "redact")
        try await first.answers("send main a {\"add\":{\"_0\":1}}", "applied a")
        let reading = Task { try await people.model(of: .main) }
        #expect(try await first.end() == .signalled(SIGILL))
        let second = try await trap.start(clients: people.endpoint, snare: "redact")
        #expect(try await reading.value.payload.json == #""masked, because this build cannot read it""#)
        let events = try await people.history().entries.compactMap { $0.event?.payload?.json }
        #expect(events == [#""masked, because this build cannot read it""#])
        try await second.answers("held", "held.")
        try await second.answers("send main b {\"add\":{\"_0\":1}}", "applied b")
        await people.close()
    }

    @Test(arguments: [true, false])
    func whoShowsAHeldEventThatTrapsGetsItMasked(errands: Bool) async throws {
        let trap = try Trap()
        let people = client(of: trap, isForPeople: true)
        let client = client(of: trap)
        let sending = Task {
            try await client.send(TrapSealed.sealed(TrapSealed.Nothing()), loop: .main, key: "poison")
        }
        for _ in 1...2 {
            let process = try await trap.start(clients: client.endpoint, errands: errands)
            #expect(try await process.end() == .signalled(SIGILL))
        }
        let process = try await trap.start(clients: client.endpoint, errands: errands)
        await #expect(throws: FleetClientError.self) { try await sending.value }
        for _ in 1...2 {
            #expect(try await people.quarantined(.main).event.json == #""masked, because this build cannot read it""#)
        }
        // One that can be read is shown, by another process.
        try await process.answers("send odd odd {\"askForNone\":{}}", "refused odd")
        let odd = try await people.quarantined(try #require(LoopID("odd"))).event.json
        #expect(odd == (errands ? #"{"askForNone":{}}"# : #""masked, because this build cannot read it""#))
        try await process.answers("send other b {\"add\":{\"_0\":1}}", "applied b")
        await client.close()
        await people.close()
    }

    /// The journal of a loop whose event 2 traps, far behind its snapshots: only a reader of the past applies it again.
    private func past() async throws -> Trap {
        let trap = try Trap()
        for start in 1...3 {
            let process = try await trap.start(mended: true)
            try await process.answers("send main a\(start) {\"add\":{\"_0\":1}}", "applied a\(start)")
            if start == 1 {
                try await process.answers("send main poison {\"trap\":{}}", "applied poison")
                try await process.answers("send main b {\"add\":{\"_0\":1}}", "applied b")
            }
            try process.type("stop\n")
            #expect(try await process.end() == .exited(0))
        }
        return trap
    }

    @Test func aModelOfThePastThatTrapsCostsItsReaderAnError() async throws {
        let trap = try await past()
        let client = client(of: trap)
        let process = try await trap.start(clients: client.endpoint)
        #expect(try await client.model(of: .main, at: 1).payload.json == #"{"total":1}"#)
        for _ in 1...2 {
            let error = await #expect(throws: FleetClientError.self) { try await client.model(of: .main, at: 2) }
            #expect(error?.message.hasPrefix("The model cannot be computed: a process that ran") == true)
            #expect(error?.message.contains("poison") == true)
        }
        #expect(try await client.model(of: .main, at: 5).payload.json == #"{"total":1004}"#)
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: .main, at: 6) }
        #expect(error?.message == "The newest event of loop main is 5, so there is none 6 yet.")
        try await process.answers("held", "held.")
        try await process.answers("send main c {\"add\":{\"_0\":1}}", "applied c")
        await client.close()
    }

    @Test func withoutAnotherProcessAModelOfThePastTrapsOnce() async throws {
        let trap = try await past()
        let client = client(of: trap)
        let first = try await trap.start(clients: client.endpoint, errands: false)
        let reading = Task { try await client.model(of: .main, at: 2) }
        #expect(try await first.end() == .signalled(SIGILL))
        let second = try await trap.start(clients: client.endpoint, errands: false)
        let error = await #expect(throws: FleetClientError.self) { try await reading.value }
        #expect(error?.message.contains("trapped the process before") == true)
        #expect(try await client.model(of: .main, at: 1).payload.json == #"{"total":1}"#)
        try await second.answers("held", "held.")
        try await second.answers("total main", "total main 1004")
        await client.close()
    }

    @Test func factsThatTrapThriceAreNotComputedAnyMore() async throws {
        let trap = try Trap()
        let client = client(of: trap)
        for loop in ["a", "b", "c"] {
            let process = try await trap.start(snare: "facts")
            try process.type("send \(loop) k {\"add\":{\"_0\":1}}\n")
            #expect(try await process.end() == .signalled(SIGILL))
        }
        let process = try await trap.start(clients: client.endpoint, snare: "facts")
        // What was not on disk is applied now, and no loop is held.
        for loop in ["a", "b", "c", "d"] {
            try await process.answers("send \(loop) k {\"add\":{\"_0\":1}}", "applied k")
            try await process.answers("total \(loop)", "total \(loop) 1")
        }
        try await process.answers("held", "held.")
        let error = await #expect(throws: FleetClientError.self) { try await client.find(where: "total = 1") }
        #expect(error?.message.contains("trapped while it computed facts") == true)
        await client.close()
        try process.type("stop\n")
        #expect(try await process.end() == .exited(0))
    }
}
