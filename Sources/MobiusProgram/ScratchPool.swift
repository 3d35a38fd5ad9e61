import MobiusCodec
import Synchronization

/// Scratches that threads borrow: a coding with warm memory takes half the time.
final class ScratchPool: Sendable {
    private let free = Mutex<[CodingScratch]>([])

    /// Lends a scratch, a new one when all are lent.
    func withScratch<Result: ~Copyable>(
        _ body: (inout CodingScratch) throws(CodingFailure) -> Result
    ) throws(CodingFailure) -> Result {
        var scratch = free.withLock { $0.popLast() } ?? CodingScratch()
        defer { free.withLock { $0.append(scratch) } }
        return try body(&scratch)
    }
}
