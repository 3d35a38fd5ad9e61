import Opaque

/// The value, of which the optimiser knows nothing any more: closures in it are called as closures.
///
/// Functions go through it inside a struct, because as a generic value they would come back wrapped in another one.
func opaque<Value>(_ value: Value) -> Value {
    var value = value
    touch(&value)
    return value
}

/// Keeps what `value` took to compute.
@inline(__always)
func touch<Value>(_ value: inout Value) {
    withUnsafeMutablePointer(to: &value) { opaque_touch($0) }
}

/// What observers and views add their bit to; used by one thread at a time.
final class Sink: @unchecked Sendable {
    private var sum = 0

    func consume(_ number: Int) {
        sum &+= number
    }

    deinit {
        touch(&sum)
    }
}
