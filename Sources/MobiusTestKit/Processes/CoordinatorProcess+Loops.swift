import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusWire

// What a process has, for checks and traces.
extension CoordinatorProcess {
    /// The models of all loops, sorted by loop name.
    var models: [(id: LoopID, model: Program.Model)] {
        host.loops.values.map { ($0.id, $0.typed.model) }.sorted { $0.id.name < $1.id.name }
    }

    /// Recovers the loops that are not in memory, and compares their models with the events on disk.
    func checkStored() {
        for id in world.scenario.loops
        where world.shard(of: id) == shard && host.loops[id] == nil && world.history.next[id] != nil
            && !driver.machine.hasEnded(id)
        {
            do {
                let outcome = try preparer.prepare(
                    id, from: world.disks[shard].content, trail: nil, crashes: CrashLedger())
                guard case .ready(let prepared) = outcome else { continue }
                world.resumed(prepared, in: self)
            } catch {
                world.violated(.nothingLost, "the loop \(id) left memory, and cannot be recovered: \(error)")
            }
        }
    }

    /// The machine's statuses of all pending effects.
    var statuses: [EffectID: EffectSummary] {
        var statuses: [EffectID: EffectSummary] = [:]
        var last: EffectID?
        while true {
            let page = driver.machine.statuses(
                of: nil, after: last, limit: Int(ClientRequest.maximumPage), at: world.now)
            for status in page.effects { statuses[status.id] = status }
            last = page.effects.last?.id
            guard page.more, last != nil else { return statuses }
        }
    }
}
