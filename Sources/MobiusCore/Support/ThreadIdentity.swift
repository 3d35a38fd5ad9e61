import Foundation

/// Identifies threads, so that a thread does not wait for itself.
@usableFromInline
package enum ThreadIdentity {
    /// No thread.
    @usableFromInline
    package static var none: UInt { 0 }

    /// The calling thread; never ``none``.
    @usableFromInline
    package static var current: UInt {
        #if canImport(Glibc) || canImport(Musl)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
