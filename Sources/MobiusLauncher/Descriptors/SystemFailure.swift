#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A failed system call; create it directly after the call, before `errno` changes.
struct SystemFailure: Error, CustomStringConvertible {
    let code = errno

    /// The system's error text, with advice if the limit of open files is reached.
    var description: String {
        let advice = code == EMFILE ? "; raise the limit (ulimit -n)" : ""
        return String(cString: strerror(code)) + advice
    }
}
