import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusProcess
import MobiusWire
import Synchronization

/// The shards of a journal as a coordinator process knows them, and which of them has a loop.
final class Seats<Program: LoopProgram>: Sendable {
    private struct State {
        var seats: [UInt32: Seat<Program>] = [:]
        /// The shard of each slice.
        var shards = [UInt32](repeating: 0, count: SliceSet.slices)
        /// By the number of the shard, as they were made known.
        var slices: [UInt32: SliceSet] = [:]
        /// The reason why nobody may send any more.
        var closed: CoordinatorError?
    }

    private let state = Mutex(State())
    private let make: @Sendable (UInt32) -> Seat<Program>

    /// Makes the seats of a journal that has, as far as is known, one shard: 0.
    init(make: @escaping @Sendable (UInt32) -> Seat<Program>) {
        self.make = make
        _ = seat(0)
    }

    /// All that are known.
    var all: [Seat<Program>] { state.withLock { $0.seats.values.sorted { $0.shard < $1.shard } } }

    func seat(_ shard: UInt32) -> Seat<Program> {
        state.withLock { state in
            if let seat = state.seats[shard] { return seat }
            let seat = make(shard)
            if let closed = state.closed { seat.requests.close(closed) }
            state.seats[shard] = seat
            return seat
        }
    }

    /// The seat of the shard that has a loop.
    func seat(of loop: LoopID) -> Seat<Program> { seat(state.withLock { $0.shards[SliceSet.slice(of: loop)] }) }

    /// Notes which slices the shards have, as the database says; that changes when one is split.
    func know(_ shards: [ShardState]) {
        state.withLock { state in
            let main = state.shards[SliceSet.slice(of: .main)]
            defer {
                // Who waits for the loop to be run here waits at another seat now.
                if main != state.shards[SliceSet.slice(of: .main)] { state.seats[main]?.turns.tellAgain() }
            }
            for shard in shards where state.slices[shard.shard] != shard.slices {
                state.slices[shard.shard] = shard.slices
                for slice in 0..<SliceSet.slices where shard.slices.contains(slice) {
                    state.shards[slice] = shard.shard
                }
            }
        }
    }

    /// Sets whether the process stands by, after a turn of a shard has begun or ended here.
    func report(to vitals: Vitals) {
        // Looked at and set in one step: turns of several shards begin and end at the same time.
        state.withLock { state in vitals.standsBy(!state.seats.values.contains { $0.turns.isOurs }) }
    }

    /// Resumes all waiting and all future senders with this error, and ends what tells others of the loops.
    func close(_ error: CoordinatorError) {
        let seats = state.withLock { state in
            state.closed = error
            return state.seats.values
        }
        for seat in seats {
            seat.requests.close(error)
            seat.turns.finish()
        }
    }
}
