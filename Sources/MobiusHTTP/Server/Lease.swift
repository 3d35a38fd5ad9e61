#if HTTP
    /// Something taken that is given back when the last reference is gone, also if what it was taken for never ran.
    final class Lease: Sendable {
        private let give: @Sendable () -> Void

        init(_ give: @escaping @Sendable () -> Void) {
            self.give = give
        }

        deinit {
            give()
        }
    }

    extension ByteBudget {
        /// Takes bytes for as long as the lease exists; `nil` when there are not as many.
        func lease(_ bytes: Int) -> Lease? {
            reserve(bytes) ? Lease { self.release(bytes) } : nil
        }
    }
#endif
