import Logging
package import MobiusEngine
import MobiusJournal
package import MobiusWire

// Pools that operators pause.
extension DurableHost {
    package func pause(_ pool: String, _ pause: PoolPause?, by name: String, _ request: RequestID) {
        // The journal decides what was so before: its thread has those in order that are under way.
        setting.journal.perform { [post = setting.post] store throws(JournalError) in
            let paused = try store.pausedPools()
            // Names that are equal as Unicode text are one pool, and the journal has the bytes of one of them.
            let stored = paused.index(forKey: pool).map { paused[$0] }
            let known = stored?.value
            let isRepeated = (known == nil) == (pause == nil)
            if !isRepeated { try store.setPause(pause, of: stored?.key ?? pool) }
            post(.paused(pool, isRepeated ? known : pause, by: name, repeated: isRepeated, request))
        }
    }

    func paused(
        _ pool: String, _ pause: PoolPause?, by name: String, repeated: Bool, _ request: RequestID,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        if !repeated {
            setting.preparer.logger.notice(
                pause == nil ? "pool resumed" : "pool paused",
                metadata: ["pool": "\(pool)", "by": "\(name)", "why": "\(pause?.why ?? "")"])
        }
        try tell(.pause(pause, of: pool, request, repeated: repeated))
    }
}
