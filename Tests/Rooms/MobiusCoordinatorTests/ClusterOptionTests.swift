import MobiusCoordinator
import MobiusJournal
import MobiusWire
import Testing

/// What the options of a cluster mean, and which are refused.
@Suite struct ClusterOptionTests {
    private func refusal(_ arguments: String...) -> (code: Int32, message: String) {
        do {
            _ = try CoordinatorOptions.parse(arguments).settings(name: "x")
            return (0, "")
        } catch {
            return (CoordinatorOptions.exitCode(for: error).rawValue, CoordinatorOptions.message(for: error))
        }
    }

    @Test func aLeaseSaysAllTimes() throws {
        let usual = try CoordinatorOptions.parse([]).settings(name: "x").lease
        #expect((usual.lease, usual.renewal, usual.trust) == (.seconds(4), .seconds(1), .seconds(3)))
        let short = try CoordinatorOptions.parse(["--lease", "1s"]).settings(name: "x").lease
        #expect((short.lease, short.poll) == (.seconds(1), .microseconds(62_500)))
    }

    @Test(arguments: ["999ms", "61s", "soon", "0s"])
    func otherTimesAreRefused(_ time: String) {
        let (code, message) = refusal("--lease", time)
        #expect(code == 64)
        #expect(message.contains("lasts 1s to 60s, not \(time)"))
    }

    @Test(arguments: ["two words", "host:5701", "*", "0.0.0.0"])
    func hostsThatNobodyReachesAreRefused(_ host: String) {
        let (code, message) = refusal("--advertise", host)
        #expect(code == 64, "\(host)")
        #expect(message.contains("must be a name or an address"))
    }

    @Test func theOwnerIsBesideItsFrontDoor() throws {
        #expect(OwnerEndpoint.beside("tcp://0.0.0.0:5701") == "tcp://0.0.0.0:*")
        #expect(OwnerEndpoint.beside("ipc:///run/s") == "ipc:///run/s-owner")
        #expect(try OwnerEndpoint.of(3, "tcp://0.0.0.0:5711") == "tcp://0.0.0.0:5717")
        #expect(try OwnerEndpoint.of(3, "ipc:///run/s") == "ipc:///run/s-3")
        #expect(try OwnerEndpoint.of(3, "tcp://0.0.0.0:*") == "tcp://0.0.0.0:*")
        #expect(try OwnerEndpoint.of(3, "tcp://0.0.0.0:65528") == "tcp://0.0.0.0:65534")
        #expect(throws: CoordinatorError.self) { try OwnerEndpoint.of(3, "tcp://0.0.0.0:65529") }
        #expect(try OwnerEndpoint.advertised("tcp://0.0.0.0:7", host: "one") == "tcp://one:7")
        #expect(try OwnerEndpoint.advertised("tcp://[::]:7", host: "one") == "tcp://one:7")
        #expect(try OwnerEndpoint.advertised("tcp://10.0.0.1:7", host: "one") == "tcp://10.0.0.1:7")
        #expect(try OwnerEndpoint.advertised("ipc://s", host: "one").hasPrefix("ipc:///"))
        let long = "ipc:///" + String(repeating: "x", count: 110)
        #expect(throws: CoordinatorError.self) { try OwnerEndpoint.advertised(long, host: "one") }
    }
}

/// Whether a database that is read again has what it confirmed.
@Suite struct NewestCommitTests {
    private let newest = NewestCommit()

    private func records(_ last: UInt64) throws -> [JournalRecord] {
        (0...last).map { sequence in
            .event(
                EventRecord(
                    loop: .main, sequence: sequence, source: sequence == 0 ? .start : .outside("\(sequence)"),
                    event: sequence == 0 ? nil : Payload(kind: PayloadKind(type: "E"), bytes: [1]), effects: [],
                    ends: nil))
        }
    }

    private func store(_ last: UInt64) throws -> InMemoryStore {
        let store = InMemoryStore()
        try store.commit(try records(last))
        return store
    }

    @Test func whatIsThereIsNoLoss() throws {
        try newest.check(InMemoryStore(), after: 7)
        newest.note(try records(3), epoch: 7)
        try newest.check(try store(3), after: 7)
        try newest.check(try store(4), after: 7)
    }

    @Test(arguments: [7, 5])
    func anEventThatWasConfirmedAndIsGoneIsNamed(_ previous: UInt64) throws {
        newest.note(try records(3), epoch: 7)
        for store in [try store(2), InMemoryStore()] {
            let error = #expect(throws: JournalError.self) { try newest.check(store, after: previous) }
            #expect(error?.code == .lost)
            #expect(error?.message.contains("event 3 of the loop main") == true)
        }
    }

    @Test func afterTheTurnOfAnotherNothingIsKnown() throws {
        newest.note(try records(3), epoch: 7)
        // It may have removed the loop, whose time was over.
        try newest.check(InMemoryStore(), after: 8)
        try newest.check(InMemoryStore(), after: 7)
    }

    @Test func whatMayBeRemovedIsForgotten() throws {
        newest.note(try records(3), epoch: 7)
        newest.forget()
        try newest.check(InMemoryStore(), after: 7)
    }
}
