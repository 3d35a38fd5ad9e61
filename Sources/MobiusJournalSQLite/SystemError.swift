#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the operating system said when a call failed.
struct SystemError: Error, CustomStringConvertible {
    /// The number.
    let number: CInt
    /// The call.
    let call: String

    /// Keeps `errno` of the call that has just failed.
    init(_ call: String) {
        self.number = errno
        self.call = call
    }

    /// The call and the system's own words.
    var description: String { "\(call): \(String(cString: strerror(number)))" }
}
