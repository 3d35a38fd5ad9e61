import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire

/// The events and the trace of a fleet, recorded while it runs.
final class FleetRecord<Program: LoopProgram> {
    /// The pools that each place serves.
    let pools: [[String]]
    private(set) var events: [LoopID: [Program.Event]] = [:]
    /// The newest lines of the trace: at least 5,000, if there were as many.
    private(set) var story: [String] = []
    /// The number of events that the test has sent.
    var sent = 0

    init(_ world: World<Program>, pools: [[String]]) {
        self.pools = pools
        world.onLogLine = { [unowned self] line in
            story.append(line)
            if story.count >= 2 * Self.lines { story.removeFirst(Self.lines) }
        }
        world.onDurable = { [unowned self, unowned world] records in
            for case .event(let record) in records {
                guard let payload = record.event,
                    let event = try? world.functions.event(payload, for: record.loop)
                else { continue }
                events[record.loop, default: []].append(event)
            }
        }
    }

    private static var lines: Int { 5000 }
}
