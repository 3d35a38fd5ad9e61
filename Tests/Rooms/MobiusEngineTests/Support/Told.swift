import MobiusEngine
import MobiusJournal
import MobiusWire

/// All that a coordinator's machine tells when it is asked.
///
/// Machines cannot be compared. Those that tell the same, and answer the same inputs with the same actions, are equal
/// to everybody else.
struct Told: Equatable {
    let status: FleetStatus
    let pools: [PoolStatus]
    let knownPools: [String]
    let effects: [EffectSummary]
    let loops: [LoopSummary]
    let loopNames: [String]
    let idleLoops: IdleTotals
    /// What would be written of each loop in a snapshot.
    let snapshots: [LoopID: [PendingEffect]]
    let sequences: [LoopID: UInt64]
    /// The pools of those at the connections of Ann and Bob.
    let served: [[String]]
    let (workers, deadlines, keys, keptLoops): (Int, Int, Int, Int)
    let (nextDeadline, nextDuty): (Moment?, Moment?)
    let holders: [Incarnation]?
    let (isAtRest, takesEvents): (Bool, Bool)
    let faults: [String]
}

extension Stage {
    var told: Told {
        var status = FleetStatus(
            program: "p", build: "b", journal: .ours, epoch: epoch, started: WallTime(milliseconds: 0),
            maximumPayload: 4096)
        machine.fill(&status, at: now)
        let loops = machine.page(prefix: "", state: nil, after: nil, limit: 1000) { _ in nil }.loops
        var (snapshots, sequences): ([LoopID: [PendingEffect]], [LoopID: UInt64]) = ([:], [:])
        for loop in loops.map(\.loop) {
            let snapshot = machine.snapshotState(of: loop)
            (snapshots[loop], sequences[loop]) = (snapshot?.pending, snapshot?.sequence)
        }
        return Told(
            status: status, pools: machine.poolStatuses(at: now), knownPools: machine.knownPools,
            effects: machine.statuses(of: nil, after: nil, limit: 1000, at: now).effects, loops: loops,
            loopNames: machine.loopNames.sorted(), idleLoops: machine.idleLoops, snapshots: snapshots,
            sequences: sequences, served: [machine.pools(of: .ann), machine.pools(of: .bob)],
            workers: machine.workerCount, deadlines: machine.deadlineCount, keys: machine.keyCount,
            keptLoops: machine.keptLoops, nextDeadline: machine.nextDeadline, nextDuty: machine.nextDuty,
            holders: machine.holders, isAtRest: machine.isAtRest, takesEvents: machine.takesEvents,
            faults: machine.audit())
    }
}
