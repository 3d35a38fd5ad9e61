/// A set that forgets: it holds the newest `limit` members that were inserted, and at most twice as many.
///
/// Two generations take turns, so an insertion costs one hash and no order is kept.
package struct RecentSet<Member: Hashable & Sendable>: Equatable, Sendable {
    private let limit: Int
    private var young: Set<Member> = []
    private var old: Set<Member> = []
    /// Whether a member was forgotten.
    private(set) var hasForgotten = false

    package init(limit: Int) {
        self.limit = limit
    }

    package func contains(_ member: Member) -> Bool {
        young.contains(member) || old.contains(member)
    }

    /// Whether the member was new.
    @discardableResult
    package mutating func insert(_ member: Member) -> Bool {
        guard !old.contains(member), young.insert(member).inserted else { return false }
        grow()
        return true
    }

    /// Inserts a member, or makes one that is there the newest: at half the cost, without saying whether it was new.
    package mutating func renew(_ member: Member) {
        if young.insert(member).inserted { grow() }
    }

    /// Begins a new generation when the young one is full.
    private mutating func grow() {
        guard young.count >= limit else { return }
        swap(&young, &old)
        if !young.isEmpty { hasForgotten = true }
        young.removeAll(keepingCapacity: true)
    }
}
