package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
package import MobiusWire

// What a process has, for checks and traces.
extension CoordinatorProcess {
    /// The models of all loops, sorted by loop name.
    package var models: [(id: LoopID, model: Program.Model)] {
        host.loops.values.map { ($0.id, $0.typed.model) }.sorted { $0.id.name < $1.id.name }
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
