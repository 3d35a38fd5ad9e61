#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit of this process's open files and connections.
package enum OpenFiles {
    /// The limit that this process was started with.
    package static let inherited = limit

    /// The current limit.
    package static var limit: Int {
        var limits = rlimit()
        guard getrlimit(Self.resource, &limits) == 0 else { return 1024 }
        return Int(clamping: limits.rlim_cur)
    }

    /// Raises the limit as far as the system allows.
    package static func raiseLimit() {
        setLimit(max(inherited, 1 << 20))
    }

    /// Sets the limit, or the highest that the system allows.
    package static func setLimit(_ limit: Int) {
        var limits = rlimit()
        guard getrlimit(Self.resource, &limits) == 0 else { return }
        limits.rlim_cur = min(limits.rlim_max, rlim_t(clamping: limit))
        _ = setrlimit(Self.resource, &limits)
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
