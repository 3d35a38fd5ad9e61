#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system call failed: made right after it, before `errno` is another's.
struct SystemFailure: Error, CustomStringConvertible {
    let code = errno

    /// What the system says, and what to do where that is known.
    var description: String {
        let advice = code == EMFILE ? "; raise the limit (ulimit -n)" : ""
        return String(cString: strerror(code)) + advice
    }
}
