import MobiusCodec
import Synchronization

/// Scratches that threads borrow: a coding with warm memory takes half the time.
///
/// The one that is given back last is lent first, so as long as one thread codes, it is all there is.
final class ScratchPool: Sendable {
    // @unchecked Sendable: whoever borrows a loan has the one reference to it, and whoever gives it back keeps none.
    /// A scratch that somebody has, or that waits above those that were given back before it.
    final class Loan: @unchecked Sendable {
        // Unchecked: only the borrower gets here, who hands it to one coding at a time.
        @exclusivity(unchecked) var scratch = CodingScratch()
        fileprivate var below: Loan?
    }

    private let free = Mutex<Loan?>(nil)

    deinit {
        // One by one, because each would let go of the next within its own end.
        while borrow() != nil {}
    }

    /// Lends a scratch, a new one when all are lent; it is to be given back.
    func lend() -> Loan { borrow() ?? Loan() }

    private func borrow() -> Loan? {
        free.withLock { free in
            guard let loan = free.take() else { return nil }
            free = loan.below.take()
            return loan
        }
    }

    /// Takes a scratch back, which is not to be used any more.
    func giveBack(_ loan: consuming Loan) {
        free.withLock { free in
            loan.below = free.take()
            free = loan
        }
    }
}
