public import Synchronization

/// The disposables of the running effects, so that all of them can be stopped.
@usableFromInline
final class EffectsUnderWay: Sendable {
    /// An effect's place; a later effect in the same place has another id.
    @usableFromInline
    typealias ID = Int

    /// No effect.
    @usableFromInline static var noID: ID { 0 }

    private struct Place {
        /// Counts all effects that were kept, so that they can be stopped in their order; 0 for a free place.
        var sequence = 0
        var disposable: (any Disposable)?
        /// Kept for handlers that do not keep it themselves.
        var callback: (any AnyObject & Sendable)?
    }

    private struct State {
        var isClosed = false
        var lastSequence = 0
        var places: [Place] = []
        var free: [Int] = []
    }

    private let state = Lock(State())
    @usableFromInline let closed = Atomic(false)

    /// Places are numbered within this.
    private static var placeBits: Int { 24 }

    /// Whether no more effects may begin.
    @inlinable var isClosed: Bool {
        closed.load(ordering: .acquiring)
    }

    /// Keeps an effect's disposable and callback; if all effects were stopped in the meantime, disposes of it at once
    /// and returns `nil`.
    func keep(_ disposable: any Disposable, _ callback: (any AnyObject & Sendable)?) -> ID? {
        let id: ID? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastSequence += 1
            let place = state.free.popLast() ?? state.places.count
            if place == state.places.count { state.places.append(Place()) }
            state.places[place] = Place(
                sequence: state.lastSequence, disposable: disposable, callback: callback)
            return state.lastSequence << Self.placeBits | place
        }
        if id == nil { disposable.dispose() }
        return id
    }

    /// Forgets an effect, which has ended.
    @usableFromInline
    func end(_ id: ID) {
        let (sequence, place) = (id >> Self.placeBits, id & (1 << Self.placeBits - 1))
        let ended: Place? = state.withLock { state in
            guard state.places.indices.contains(place), state.places[place].sequence == sequence else { return nil }
            defer { state.places[place] = Place() }
            state.free.append(place)
            return state.places[place]
        }
        // Released here, outside the lock: it may be the last reference to user objects.
        _ = ended
    }

    /// Stops all effects, in the order in which they were kept; no more may begin.
    func disposeAll() {
        closed.store(true, ordering: .releasing)
        let places = state.withLock { state in
            state.isClosed = true
            defer { (state.places, state.free) = ([], []) }
            return state.places
        }
        for place in places.sorted(by: { $0.sequence < $1.sequence }) { place.disposable?.dispose() }
    }
}
