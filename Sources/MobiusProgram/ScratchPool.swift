import MobiusCodec
import Synchronization

/// Scratches that threads borrow: a coding with warm memory takes half the time.
final class ScratchPool: Sendable {
    /// The one that is given back last stands apart: as long as one thread codes, it is all there is.
    private struct Free {
        var newest: CodingScratch?
        var others: [CodingScratch] = []
    }

    private let free = Mutex(Free())

    /// Lends a scratch, a new one when all are lent.
    func withScratch<Result: ~Copyable>(
        _ body: (inout CodingScratch) throws(CodingFailure) -> Result
    ) throws(CodingFailure) -> Result {
        var scratch = free.withLock { $0.newest.take() ?? $0.others.popLast() } ?? CodingScratch()
        defer { giveBack(scratch) }
        return try body(&scratch)
    }

    private func giveBack(_ scratch: consuming CodingScratch) {
        free.withLock { free in
            if let newest = free.newest.take() { free.others.append(newest) }
            free.newest = scratch
        }
    }
}
