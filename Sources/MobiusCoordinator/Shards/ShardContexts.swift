import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusProcess
import MobiusWire
import Synchronization

/// The shards of a journal as a coordinator process knows them, and which of them has a loop.
final class ShardContexts<Program: LoopProgram>: Sendable {
    private struct State {
        var contexts: [UInt32: ShardContext<Program>] = [:]
        /// The shard of each slice.
        var shards = [UInt32](repeating: 0, count: SliceSet.slices)
        /// By the number of the shard, as they were made known.
        var slices: [UInt32: SliceSet] = [:]
        /// The reason why nobody may send any more.
        var closed: CoordinatorError?
    }

    private let state = Mutex(State())
    private let make: @Sendable (UInt32) -> ShardContext<Program>

    /// Makes the contexts of a journal that has, as far as is known, one shard: 0.
    init(make: @escaping @Sendable (UInt32) -> ShardContext<Program>) {
        self.make = make
        _ = context(0)
    }

    /// All that are known.
    var all: [ShardContext<Program>] { state.withLock { $0.contexts.values.sorted { $0.shard < $1.shard } } }

    func context(_ shard: UInt32) -> ShardContext<Program> {
        state.withLock { state in
            if let context = state.contexts[shard] { return context }
            let context = make(shard)
            if let closed = state.closed { context.requests.close(closed) }
            state.contexts[shard] = context
            return context
        }
    }

    /// The context of the shard that has a loop.
    func context(of loop: LoopID) -> ShardContext<Program> {
        context(state.withLock { $0.shards[SliceSet.slice(of: loop)] })
    }

    /// Notes which slices the shards have, as the database says; that changes when one is split.
    func know(_ shards: [ShardState]) {
        state.withLock { state in
            let main = state.shards[SliceSet.slice(of: .main)]
            defer {
                // Who waits for the loop to be run here waits at another context now.
                if main != state.shards[SliceSet.slice(of: .main)] { state.contexts[main]?.terms.tellAgain() }
            }
            for shard in shards where state.slices[shard.shard] != shard.slices {
                state.slices[shard.shard] = shard.slices
                for slice in 0..<SliceSet.slices where shard.slices.contains(slice) {
                    state.shards[slice] = shard.shard
                }
            }
        }
    }

    /// Sets whether the process stands by, after a term of a shard has begun or ended here.
    func report(to vitals: Vitals) {
        // Looked at and set in one step: terms of several shards begin and end at the same time.
        state.withLock { state in vitals.standsBy(!state.contexts.values.contains { $0.terms.isOurs }) }
    }

    /// Resumes all waiting and all future senders with this error, and ends what tells others of the loops.
    func close(_ error: CoordinatorError) {
        let contexts = state.withLock { state in
            state.closed = error
            return state.contexts.values
        }
        for context in contexts {
            context.requests.close(error)
            context.terms.finish()
        }
    }
}
