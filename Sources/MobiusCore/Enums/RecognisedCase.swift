/// A case that a route has recognised as its own, and how its payload is stored.
@usableFromInline
package struct RecognisedCase: Sendable, Equatable {
    @usableFromInline let tag: Int
    @usableFromInline let isIndirect: Bool

    @inlinable
    init(tag: Int, isIndirect: Bool) {
        self.tag = tag
        self.isIndirect = isIndirect
    }
}
