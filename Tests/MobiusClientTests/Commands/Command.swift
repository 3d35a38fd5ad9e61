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
        _ arguments: [String], connect endpoint: String? = nil, input: String? = nil
    ) async throws -> Command {
        let environment = endpoint.map { ["MOBIUS_CONNECT_CLIENT": $0] } ?? [:]
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
                        reason: reason, died: Self.time), effect
                )
            }
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
