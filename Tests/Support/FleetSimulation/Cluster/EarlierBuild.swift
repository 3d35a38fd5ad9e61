import MobiusCodec
package import MobiusCore
import MobiusDriver
import MobiusProgram
import MobiusTestKit

/// The build of a program before a rolling upgrade: with routes of its own, and without some events of the later build.
package struct EarlierBuild<Program: LoopProgram>: Sendable {
    let routes: EffectRouter<Program.Effect, Program.Event>
    let codings: ProgramCodecs<Program>

    /// Describes the build.
    ///
    /// - Parameters:
    ///   - routes: Its routes, which make none of the later build's events.
    ///   - isUnknown: Whether it cannot read an event.
    package init(
        routes: EffectRouter<Program.Effect, Program.Event>, isUnknown: @escaping @Sendable (Program.Event) -> Bool
    ) {
        self.routes = routes
        codings = ProgramCodecs(events: PayloadCodecs().map { EarlierCodec(later: $0, isUnknown: isUnknown) })
    }
}

/// A coding without some of its type's values.
private struct EarlierCodec<Value>: PayloadCodec {
    let later: any PayloadCodec<Value>
    let isUnknown: @Sendable (Value) -> Bool

    var contentType: String { later.contentType }

    func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        try later.encode(value, into: &buffer, scratch: &scratch)
    }

    func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        let value = try later.decode(bytes, scratch: &scratch)
        guard !isUnknown(value) else {
            throw CodingFailure(.decoding, type: "\(Value.self)", reason: "a later build wrote it")
        }
        return value
    }
}

// A rolling upgrade, if the scenario has an earlier build.
extension Cluster {
    /// Lets half of the hosts begin with the earlier build; at any time a host may get the other one, and at the end all have
    /// the later one.
    func planUpgrades() {
        guard simulation.scenario.earlier != nil else { return }
        for host in hosts {
            host.isEarlier = world.chance.percent(50)
            if world.chance.percent(50) {
                world.plan(after: world.chance.milliseconds(200...2500)) { _ in host.install(earlier: !host.isEarlier) }
            }
            // Before it is checked that each shard has an owner.
            world.plan(after: world.chance.milliseconds(2500...3500)) { _ in host.install(earlier: false) }
        }
    }

    /// Whether a host has the earlier build.
    var hasEarlier: Bool { hosts.contains { $0.isEarlier } }
}

extension ClusterHost {
    /// The calls of its processes to its build of the program.
    var calls: ProgramCalls<Program> {
        let scenario = cluster.simulation.scenario
        guard let earlier = scenario.earlier, isEarlier else {
            return ProgramCalls(world.functions)
        }
        return ProgramCalls(SingleProgram(earlier.routes, codings: earlier.codings))
    }

    /// Lets its next process be of the other build, and ends the present one.
    func install(earlier: Bool) {
        guard isEarlier != earlier else { return }
        world.log(name, earlier ? "goes back to the earlier build" : "is upgraded")
        isEarlier = earlier
        if isStopped { kill() } else { leave() }
    }
}
