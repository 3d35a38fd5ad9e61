#if HTTP
    import Synchronization

    /// A number of bytes that connections share, so that many slow clients cannot fill the memory.
    package final class ByteBudget: Sendable {
        private let limit: Int
        private let reserved = Atomic(0)

        package init(_ limit: Int) {
            self.limit = limit
        }

        /// Reserves bytes; when none are reserved, any number may be.
        ///
        /// - Returns: whether they were reserved; then ``release(_:)`` them.
        package func reserve(_ bytes: Int) -> Bool {
            var known = reserved.load(ordering: .relaxed)
            while known == 0 || bytes <= limit - known {
                let (isExchanged, now) = reserved.weakCompareExchange(
                    expected: known, desired: known &+ bytes, ordering: .relaxed)
                if isExchanged { return true }
                known = now
            }
            return false
        }

        /// Releases reserved bytes.
        package func release(_ bytes: Int) {
            reserved.subtract(bytes, ordering: .relaxed)
        }
    }
#endif
