/// A type whose values can be facts of a loop.
///
/// An enum with raw values needs no more than its name here:
///
/// ```swift
/// enum Stage: String, Codable, FactConvertible { case draft, waitingForApproval, shipped }
/// ```
public protocol FactConvertible {
    /// The value as a fact; `nil` if the loop does not have the fact.
    var factValue: FactValue? { get }
}

extension FactConvertible where Self: BinaryInteger {
    /// The whole number; beyond `Int64` the nearest ``FactValue/number(_:)``.
    public var factValue: FactValue? { Int64(exactly: self).map(FactValue.integer) ?? .number(Double(self)) }
}

extension FactConvertible where Self: BinaryFloatingPoint {
    /// The number; `nil` if it is infinite or none.
    public var factValue: FactValue? { isFinite ? .number(Double(self)) : nil }
}

extension FactConvertible where Self: RawRepresentable, RawValue: FactConvertible {
    /// The raw value as a fact.
    public var factValue: FactValue? { rawValue.factValue }
}

extension Int: FactConvertible {}
extension Int8: FactConvertible {}
extension Int16: FactConvertible {}
extension Int32: FactConvertible {}
extension Int64: FactConvertible {}
extension UInt: FactConvertible {}
extension UInt8: FactConvertible {}
extension UInt16: FactConvertible {}
extension UInt32: FactConvertible {}
extension UInt64: FactConvertible {}
extension Double: FactConvertible {}
extension Float: FactConvertible {}

extension Bool: FactConvertible {
    /// Yes or no.
    public var factValue: FactValue? { .bool(self) }
}

extension String: FactConvertible {
    /// The text.
    public var factValue: FactValue? { .text(self) }
}

extension WallTime: FactConvertible {
    /// The time.
    public var factValue: FactValue? { .time(self) }
}

extension FactValue: FactConvertible {
    /// Itself.
    public var factValue: FactValue? { self }
}

extension Optional: FactConvertible where Wrapped: FactConvertible {
    /// The wrapped value as a fact; `nil` without one.
    public var factValue: FactValue? { self?.factValue }
}
