import Foundation
import MobiusWorker

/// Where a booking can be held.
enum Place: String, ExpressibleByArgument, CaseIterable {
    /// Nothing is in the ledger.
    case before
    /// It is written, in a transaction that is open.
    case during
    /// It is in the ledger, and nobody knows.
    case after
}

/// Holds handlers at places until it is opened, and says on standard output who waits where.
final class Gate: Sendable {
    private let places: Set<Place>
    private let condition = NSCondition()
    // Touched with the condition's lock held.
    nonisolated(unsafe) private var isOpen = false
    /// Counts the steps: who came before the last one goes on.
    nonisolated(unsafe) private var steps = 0

    init(holding places: Set<Place>) {
        self.places = places
    }

    func pass(_ place: Place, _ deed: String) {
        guard places.contains(place) else { return }
        condition.lock()
        defer { condition.unlock() }
        guard !isOpen else { return }
        print("\(place.rawValue) \(deed)")
        let arrival = steps
        while !isOpen, steps == arrival { condition.wait() }
    }

    /// Lets those pass who wait now.
    func step() {
        condition.lock()
        steps += 1
        condition.broadcast()
        condition.unlock()
    }

    /// Lets all pass from now on.
    func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }
}
