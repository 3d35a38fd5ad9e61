/// A value with a method that returns a changed copy: `model.copy { $0.name = "Alice" }`.
///
/// Conforming takes no code. It has the name of Mobius.swift's protocol, which is also that of Swift's own protocol for
/// copyable types; in files that import this module the name means this protocol. A noncopyable type is written
/// `struct Ticket: ~Swift.Copyable` there, or, after `import protocol Swift.Copyable`, `struct Ticket: ~Copyable` with
/// `MobiusExtras.Copyable` for this one.
public protocol Copyable {
    /// A copy of the value, changed by `mutator`; the value itself stays as it is.
    func copy(with mutator: (inout Self) -> Void) -> Self
}

extension Copyable {
    /// A copy of the value, changed by `mutator`; the value itself stays as it is.
    public func copy(with mutator: (inout Self) -> Void) -> Self {
        var copy = self
        mutator(&copy)
        return copy
    }
}
