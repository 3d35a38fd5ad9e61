#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files and connections this process may have open.
enum OpenFiles {
    /// The limit that holds now.
    static var limit: Int {
        var limits = rlimit()
        guard getrlimit(Self.resource, &limits) == 0 else { return 1024 }
        return Int(clamping: limits.rlim_cur)
    }

    /// Raises the limit as far as the system allows; what cannot be raised stays.
    static func raiseLimit() {
        var limits = rlimit()
        guard getrlimit(Self.resource, &limits) == 0 else { return }
        limits.rlim_cur = min(limits.rlim_max, 1 << 20)
        _ = setrlimit(Self.resource, &limits)
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
