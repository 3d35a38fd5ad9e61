public import MobiusCodec
import Opaque

/// What a value must be for all codings of ours.
public typealias CodedValue = Codable & Equatable & FastPayload & Sendable

/// A way of coding that is measured.
///
/// Another one is a type like those below, a term in ``CodecCase/all``, and its names in `CodecBenchmark`.
protocol CoderUnderTest: SendableMetatype {
    /// Its part of a benchmark's name.
    static var name: String { get }

    static func coding<Value: CodedValue>(of type: Value.Type) -> any PayloadCodec<Value>
}

enum JSONCoder: CoderUnderTest {
    static let name = "json"

    static func coding<Value: CodedValue>(of type: Value.Type) -> any PayloadCodec<Value> { JSONCodec(type) }
}

enum FastCoder: CoderUnderTest {
    static let name = "fast"

    static func coding<Value: CodedValue>(of type: Value.Type) -> any PayloadCodec<Value> { FastCodec(type) }
}

/// Keeps what a value took to compute: the optimiser does not know who reads it.
func keep<Value>(_ value: inout Value) {
    withUnsafeMutablePointer(to: &value) { opaque_touch($0) }
}
