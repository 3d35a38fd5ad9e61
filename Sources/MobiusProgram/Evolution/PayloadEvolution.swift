/// A type of a program whose values journals keep longer than the build that wrote them.
///
/// A program's `Model`, `Event` and `Effect` need no conformance as long as `Codable` can read their old values: they are
/// then written under their type's full name, which begins with its module, as version 1. Conform before the first change
/// after which it cannot, and before you rename the type or its module:
///
/// ```swift
/// extension Basket.Event: PayloadEvolution {
///     private enum First: Codable { case placed(order: String) }
///
///     static let versions = PayloadVersions("shop.event", formerly: "Shop.Basket.Event", startingWith: Self.self)
///         .changing(First.self) { first in
///             switch first {
///             case .placed(let order): .placed([order], by: nil)
///             }
///         }
/// }
/// ```
/// ``PayloadVersions/changing(_:_:)`` names only the cases that changed; ``PayloadVersions/then(_:_:)`` replaces a whole
/// type. The old types stay in the program as plain `Codable` types, used only for decoding. A build reads
/// every version that it names and writes the last. A record that it cannot read, such as one of a newer version, is
/// never dropped: its loop is held until a build runs that can.
public protocol PayloadEvolution: Codable, Sendable {
    /// All versions of the type that this build reads, up to the type itself.
    static var versions: PayloadVersions<Self> { get }
}
