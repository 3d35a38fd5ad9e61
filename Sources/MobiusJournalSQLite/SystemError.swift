#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A failed call to the operating system.
struct SystemError: Error, CustomStringConvertible {
    /// The error number.
    let number: CInt
    /// The name of the call.
    let call: String

    /// Keeps the `errno` of the call that has just failed.
    init(_ call: String) {
        self.number = errno
        self.call = call
    }

    /// The call and the system's error text.
    var description: String { "\(call): \(String(cString: strerror(number)))" }
}
