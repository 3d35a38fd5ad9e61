/// A bounded set: it contains at least the newest `limit` inserted members, and at most twice as many.
///
/// It alternates two generations, so an insertion costs one hash and no order is stored.
package struct RecentSet<Member: SlotKey>: Equatable, Sendable {
    private let limit: Int
    private var young = Generation()
    private var old = Generation()
    /// Whether a member was forgotten.
    private(set) var hasForgotten = false

    package init(limit: Int) {
        self.limit = limit
    }

    package func contains(_ member: Member) -> Bool {
        let hash = SlotIndex.hash(of: member)
        return young.contains(member, hash: hash) || old.contains(member, hash: hash)
    }

    /// Whether the member was new.
    @discardableResult
    package mutating func insert(_ member: Member) -> Bool {
        let hash = SlotIndex.hash(of: member)
        guard !old.contains(member, hash: hash), young.insert(member, hash: hash) else { return false }
        grow()
        return true
    }

    /// Inserts a member that is most likely new, without a lookup; an existing member then counts twice.
    package mutating func add(_ member: consuming Member) {
        young.add(member, hash: SlotIndex.hash(of: member))
        grow()
    }

    /// Begins a new generation when the young one is full.
    private mutating func grow() {
        guard young.members.count >= limit else { return }
        swap(&young, &old)
        if !young.members.isEmpty { hasForgotten = true }
        young.removeAll()
    }

    /// Members in the order in which they came, and where each is.
    private struct Generation: Equatable, Sendable {
        private(set) var members: [Member] = []
        var places = SlotIndex<Member>()

        func contains(_ member: Member, hash: UInt32) -> Bool {
            var search = places.search(for: hash)
            while let place = places.next(&search) {
                if members[Int(place)] == member { return true }
            }
            return false
        }

        /// Whether the member was new.
        mutating func insert(_ member: consuming Member, hash: UInt32) -> Bool {
            guard !contains(member, hash: hash) else { return false }
            add(member, hash: hash)
            return true
        }

        mutating func add(_ member: consuming Member, hash: UInt32) {
            places.insert(UInt32(members.count), hash: hash)
            members.append(member)
        }

        mutating func removeAll() {
            members.removeAll(keepingCapacity: true)
            places.removeAll()
        }

        static func == (one: Generation, other: Generation) -> Bool { one.members == other.members }
    }
}
