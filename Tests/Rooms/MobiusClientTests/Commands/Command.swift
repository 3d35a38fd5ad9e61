import FleetTestSupport
import Foundation
import MobiusWire

/// One run of the built `mobius`.
struct Command {
    let end: TestProcess.End
    let output: [String]
    let errors: [String]

    /// Runs it to its end.
    static func mobius(
        _ arguments: String..., connect endpoint: String? = nil, input: String? = nil
    ) async throws -> Command {
        try await mobius(arguments, connect: endpoint, input: input)
    }

    /// The same with a list of arguments.
    static func mobius(
        _ arguments: [String], connect endpoint: String? = nil, input: String? = nil, columns: Int? = nil
    ) async throws -> Command {
        var environment = endpoint.map { ["MOBIUS_CONNECT_CLIENT": $0] } ?? [:]
        if let columns { environment["COLUMNS"] = "\(columns)" }
        let process = try TestProcess(
            "mobius", arguments, environment: environment, input: input == nil ? .none : .pipe)
        if let input {
            try process.type(input)
            try process.endInput()
        }
        let end = try await process.end()
        return Command(end: end, output: process.output.elements, errors: process.errors.elements)
    }
}

extension TestFleet {
    static let time = WallTime(milliseconds: 1_772_366_400_000)

    /// Puts dead letters `main/1/0`, `main/2/0`, … in.
    func bury(_ count: Int, loop: LoopID = .main, reason: String = "no route to host") {
        change { state in
            for number in 1...count {
                let id = EffectID(loop: loop, sequence: UInt64(number), index: 0)
                let effect = Payload(
                    kind: PayloadKind(type: "Greeter.Effect"), bytes: Array("{\n \"greet\": \"ada/\(number)\"}".utf8))
                state.letters[id] = (
                    DeadLetterSummary(
                        id: id, kind: effect.kind, size: UInt32(effect.bytes.count), pool: "greeters", failures: 5,
                        reason: reason, deadLettered: Self.time), effect
                )
            }
        }
    }

    /// Holds a loop because its journal cannot be read.
    func holdUnread(_ loop: LoopID) {
        hold(loop)
        change { state in
            state.held[loop]?.summary.crashes = 0
            state.held[loop]?.summary.source = "event 8 in the journal cannot be read"
            state.held[loop]?.summary.kind = PayloadKind(type: "")
            state.held[loop]?.event = Payload(kind: PayloadKind(type: ""), bytes: [])
        }
    }

    /// Holds a loop by an event.
    func hold(_ loop: LoopID) {
        change { state in
            state.held[loop] = (
                QuarantineSummary(
                    loop: loop, sequence: 8, source: "key visit-4712", kind: PayloadKind(type: "Greeter.Event"),
                    size: 4, crashes: 2, build: "greeter 1.0", since: Self.time, pending: 3),
                Payload(kind: PayloadKind(type: "Greeter.Event"), bytes: Array("[1]".utf8))
            )
        }
    }
}

extension FleetStatus {
    /// One with long names, a held loop, a pool without workers and a worker that leaves.
    static let example = FleetStatus(
        program: "greeter", build: "greeter 1.0", journal: JournalID(high: 1, low: 15), epoch: 3,
        started: TestFleet.time, maximumPayload: 4 << 20, pending: 12, letters: 1, loopCount: 2000,
        loops: [
            LoopStatus(loop: .named("shop/42"), sequence: 8, pending: 3, isHeld: true),
            LoopStatus(loop: .named("a-loop-named-by-a-long-winded-user"), sequence: 6, pending: 2),
            LoopStatus(loop: .named("z"), sequence: 0, pending: 0),
        ],
        pools: [
            PoolStatus(pool: "greeters", workers: 2, waiting: 6, running: 1, credit: 3, oldest: 90_000),
            PoolStatus(pool: "movers", workers: 0, waiting: 0, running: 0),
        ],
        workers: [
            WorkerStatus(
                incarnation: Incarnation(high: 0x0123_4567_89AB_CDEF, low: 1), pools: ["greeters", "movers"],
                build: "greeter-worker 1.0+0123456789abcdef0123456789abcdef", running: 1, free: 3, silence: 40),
            WorkerStatus(
                incarnation: Incarnation(high: 0x89AB_CDEF_0123_4567, low: 2), pools: ["greeters"],
                build: "greeter-worker 1.0", running: 0, free: 0, silence: 4000, isDraining: true),
        ])
}

extension LoopID {
    fileprivate static func named(_ name: String) -> LoopID {
        guard let id = LoopID(name) else { preconditionFailure("A test names its loops well.") }
        return id
    }
}
