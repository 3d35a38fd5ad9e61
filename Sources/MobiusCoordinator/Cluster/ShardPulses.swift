import MobiusEngine
import MobiusProcess
import Synchronization

/// The heartbeats of the threads that run shards: one that hangs makes the process count as hung.
final class ShardPulses: Sendable {
    private let vitals: Vitals
    private let pulses = Mutex<[UInt32: Vitals.Pulse]>([:])

    init(_ vitals: Vitals) {
        self.vitals = vitals
    }

    /// A thread begins to run a shard.
    func begin(_ shard: UInt32) -> Vitals.Pulse {
        let pulse = vitals.pulse()
        pulses.withLock { $0[shard] = pulse }
        return pulse
    }

    /// The thread ends; the next one of its shard may have begun.
    func end(_ shard: UInt32, _ pulse: Vitals.Pulse) {
        pulses.withLock { pulses in
            if pulses[shard] === pulse { pulses[shard] = nil }
        }
        vitals.end(pulse)
    }

    func pulse(of shard: UInt32) -> Vitals.Pulse? { pulses.withLock { $0[shard] } }

    /// The thread of a shard, or that which waits for shards, runs now.
    func beat(_ shard: UInt32?) {
        let now = Vitals.now
        if let shard { pulse(of: shard)?.beat(at: now) } else { vitals.beat(at: now) }
    }
}
