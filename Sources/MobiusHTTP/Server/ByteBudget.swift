#if HTTP
    import Synchronization

    /// A number of bytes that connections share, so that many slow clients cannot fill the memory.
    package final class ByteBudget: Sendable {
        private let limit: Int
        private let taken = Atomic(0)

        package init(_ limit: Int) {
            self.limit = limit
        }

        /// Takes bytes; when none are taken, any number may be.
        ///
        /// - Returns: whether they were taken; then ``give(_:)`` them back.
        package func take(_ bytes: Int) -> Bool {
            var known = taken.load(ordering: .relaxed)
            while known == 0 || bytes <= limit - known {
                let (isExchanged, now) = taken.weakCompareExchange(
                    expected: known, desired: known &+ bytes, ordering: .relaxed)
                if isExchanged { return true }
                known = now
            }
            return false
        }

        /// Gives bytes back.
        package func give(_ bytes: Int) {
            taken.subtract(bytes, ordering: .relaxed)
        }
    }
#endif
