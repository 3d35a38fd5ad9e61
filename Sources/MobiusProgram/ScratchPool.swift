import MobiusCodec
import Synchronization

/// A pool of scratches: coding with warm memory takes half the time.
///
/// The one returned last is lent first, so one thread needs only one.
final class ScratchPool: Sendable {
    // @unchecked Sendable: the borrower has the only reference to a loan, and keeps none when it returns the loan.
    /// A lent scratch, or one on the stack of returned ones.
    private final class Loan: @unchecked Sendable {
        // Unchecked: only the borrower accesses it, and passes it to one coding at a time.
        @exclusivity(unchecked) var scratch = CodingScratch()
        @exclusivity(unchecked) var below: Loan?
    }

    private let free = Mutex<Loan?>(nil)

    deinit {
        // One by one, because otherwise each would release the next recursively.
        while borrow() != nil {}
    }

    /// Lends a scratch, a new one if all are lent.
    // Inlined, so that values used in the body need not be retained.
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
