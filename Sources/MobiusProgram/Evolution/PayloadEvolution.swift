/// A type of a program whose values journals keep longer than the build that wrote them.
///
/// A program's `Model`, `Event` and `Effect` need no conformance as long as their coding stays the same: they are then
/// written under their type's full name, which begins with its module, as version 1. Conform before the first change
/// after which `Codable` cannot read old values (a renamed case or key, a changed type), and before you rename the type
/// or its module:
///
/// ```swift
/// extension Basket.Event: PayloadEvolution {
///     static let versions = PayloadVersions("shop.event", formerly: "Shop.Shop.Event", startingWith: Basket.EventV1.self)
///         .then(Basket.EventV2.self) { Basket.EventV2(orders: [$0.order]) }
///         .then(Basket.Event.self) { .placed($0.orders, by: nil) }
/// }
/// ```
/// The types of older versions stay in the program as plain `Codable` types, used only for decoding. A build reads
/// every version that it names and writes the last. A record that it cannot read, such as one of a newer version, is
/// never dropped: its loop is held until a build runs that can.
public protocol PayloadEvolution: Codable, Sendable {
    /// All versions of the type that this build reads, up to the type itself.
    static var versions: PayloadVersions<Self> { get }
}
