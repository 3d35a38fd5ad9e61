/// Elements of which there is mostly one: that one needs no array.
///
/// It is ``one`` exactly when there is one, and ``none`` when there is none.
package enum OneOrMany<Element> {
    case none
    case one(Element)
    case many([Element])

    /// All elements of an array.
    @inlinable
    package init(_ elements: consuming [Element]) {
        switch elements.count {
        case 0: self = .none
        case 1: self = .one(elements[0])
        default: self = .many(elements)
        }
    }

    /// The number of elements.
    @inlinable
    package var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let elements): elements.count
        }
    }

    /// All of them, in their order.
    @inlinable
    package var all: [Element] {
        switch self {
        case .none: []
        case .one(let element): [element]
        case .many(let elements): elements
        }
    }
}

extension OneOrMany: Equatable where Element: Equatable {}
extension OneOrMany: Sendable where Element: Sendable {}
