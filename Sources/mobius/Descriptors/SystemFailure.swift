#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system call failed: made right after it, before `errno` is another's.
struct SystemFailure: Error, CustomStringConvertible {
    let code = errno

    var description: String { String(cString: strerror(code)) }
}
