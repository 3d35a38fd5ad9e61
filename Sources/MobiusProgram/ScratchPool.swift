import MobiusCodec
import Synchronization

/// Scratches that threads borrow: a coding with warm memory takes half the time.
///
/// The one that is given back last is lent first, so as long as one thread codes, it is all there is.
final class ScratchPool: Sendable {
    // @unchecked Sendable: whoever borrows a loan has the one reference to it, and whoever gives it back keeps none.
    /// A scratch that somebody has, or that waits above those that were given back before it.
    private final class Loan: @unchecked Sendable {
        // Unchecked: only the borrower gets here, who hands it to one coding.
        @exclusivity(unchecked) var scratch = CodingScratch()
        @exclusivity(unchecked) var below: Loan?
    }

    private let free = Mutex<Loan?>(nil)

    deinit {
        // One by one, because each would let go of the next within its own end.
        while borrow() != nil {}
    }

    /// Lends a scratch, a new one when all are lent.
    // Inlined, so that what the body uses need not be held for it.
    @inline(__always)
    func withScratch<Result>(
        _ body: (inout CodingScratch) throws(CodingFailure) -> Result
    ) throws(CodingFailure) -> Result {
        let loan = borrow() ?? Loan()
        do throws(CodingFailure) {
            let result = try body(&loan.scratch)
            giveBack(loan)
            return result
        } catch {
            giveBack(loan)
            throw error
        }
    }

    private func borrow() -> Loan? {
        free.withLock { free in
            guard let loan = free.take() else { return nil }
            free = loan.below.take()
            return loan
        }
    }

    private func giveBack(_ loan: consuming Loan) {
        // Moved and not copied: a closure cannot use up what it captures.
        var returned = Optional(loan)
        free.withLock { free in
            returned?.below = free.take()
            free = returned.take()
        }
    }
}
