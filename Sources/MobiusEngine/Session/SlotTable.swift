/// A dictionary whose entries can be accessed without hashing: each entry stays in one slot until it is removed.
///
/// Code inside a machine refers to entries by ``Slot``. The slot of a removed entry finds nothing, even when another
/// entry has the same place. The order of iteration depends on the operations, not on hashing.
package struct SlotTable<Key: SlotKey, Value: SlotValue>: Equatable, Sendable {
    /// The place of an entry.
    package struct Slot: Hashable, Sendable {
        fileprivate let place: UInt32
        /// The place's age while the entry is there.
        fileprivate let age: UInt32
    }

    fileprivate struct Row: Sendable {
        /// Counts insertions and removals: even while an entry exists, odd while the place is vacant.
        var age: UInt32 = 0
        /// The key's hash.
        var hash: UInt32
        var key: Key
        // Not an optional: access to one part of it would copy all of it.
        var value: Value

        var isVacant: Bool { age & 1 == 1 }

        /// Inserts an entry into a vacant place; its value is still the previous entry's.
        mutating func occupy(_ key: consuming Key, hash: UInt32) {
            age &+= 1
            self.hash = hash
            self.key = key
        }

        /// Removes its entry and returns the key's hash.
        mutating func vacate() -> UInt32 {
            age &+= 1
            value.reset()
            return hash
        }
    }

    private var places = SlotIndex<Key>()
    private var rows: [Row] = []
    private var free: [UInt32] = []
    /// The place of the last lookup, which is often repeated.
    private var last = 0
    /// Counts what iterations visit; `nil` counts nothing.
    var visits: VisitCount?

    package init() {}

    package var count: Int { places.count }

    /// The slot of the key's entry.
    @inline(__always)
    package mutating func slot(of key: Key) -> Slot? {
        if last < rows.count, rows[last].key == key, !rows[last].isVacant {
            return Slot(place: UInt32(last), age: rows[last].age)
        }
        return searched(key)
    }

    private mutating func searched(_ key: Key) -> Slot? {
        // Entries that were made one after the other often lie so, in one direction or the other, and are asked for so.
        if isAt(last + 1, key) {
            last += 1
        } else if isAt(last - 1, key) {
            last -= 1
        } else {
            guard let place = find(key, hash: SlotIndex.hash(of: key)) else { return nil }
            last = Int(place)
        }
        return Slot(place: UInt32(last), age: rows[last].age)
    }

    @inline(__always)
    private func isAt(_ place: Int, _ key: Key) -> Bool {
        place >= 0 && place < rows.count && rows[place].key == key && !rows[place].isVacant
    }

    /// The same for who cannot change the table.
    package func find(_ key: Key) -> Slot? {
        find(key, hash: SlotIndex.hash(of: key)).map { Slot(place: $0, age: rows[Int($0)].age) }
    }

    // Inlined: a call would get a copy of the table.
    @inline(__always)
    private func find(_ key: Key, hash: UInt32) -> UInt32? {
        var search = places.search(for: hash)
        while let place = places.next(&search) {
            if rows[Int(place)].key == key { return place }
        }
        return nil
    }

    /// Whether the slot's entry is still there.
    @inline(__always)
    package func contains(_ slot: Slot) -> Bool {
        rows[Int(slot.place)].age == slot.age
    }

    /// The key of an entry that is there.
    @inline(__always)
    package func key(of slot: Slot) -> Key { rows[Int(slot.place)].key }

    /// The value of an entry that is there.
    package subscript(slot: Slot) -> Value {
        _read { yield rows[Int(slot.place)].value }
        _modify { yield &rows[Int(slot.place)].value }
    }

    /// The value of a key; setting `nil` removes its entry.
    package subscript(key: Key) -> Value? {
        get { find(key, hash: SlotIndex.hash(of: key)).map { rows[Int($0)].value } }
        _modify {
            guard let place = find(key, hash: SlotIndex.hash(of: key)) else {
                var new: Value?
                yield &new
                if let new { insert(new, for: key) }
                return
            }
            // Taken out during the access, so that a change in place finds it unshared.
            var value: Value? = take(place)
            defer {
                if let value { rows[Int(place)].value = value } else { removeValue(forKey: key) }
            }
            yield &value
        }
    }

    /// Makes an entry for a key and removes its former entry.
    @discardableResult
    package mutating func insert(_ value: consuming Value, for key: consuming Key) -> Slot {
        let slot = claim(for: key)
        rows[Int(slot.place)].value = value
        return slot
    }

    /// Makes an entry for a key and removes its former entry; the caller fills the value in place, without a copy.
    ///
    /// The value is ``SlotValue/nothing`` or a removed entry's value before.
    package mutating func claim(for key: consuming Key) -> Slot {
        let hash = SlotIndex.hash(of: key)
        if let former = find(key, hash: hash) { remove(former) }
        return claim(for: key, hash)
    }

    /// The same for a key that is known to have no entry.
    package mutating func claim(forNew key: consuming Key) -> Slot {
        let hash = SlotIndex.hash(of: key)
        return claim(for: key, hash)
    }

    @inline(__always)
    private mutating func claim(for key: consuming Key, _ hash: UInt32) -> Slot {
        let place: UInt32
        if let vacant = free.popLast() {
            place = vacant
            rows[Int(place)].occupy(key, hash: hash)
        } else {
            place = UInt32(rows.count)
            rows.append(Row(hash: hash, key: key, value: .nothing))
        }
        places.insert(place, hash: hash)
        return Slot(place: place, age: rows[Int(place)].age)
    }

    /// Removes the key's entry.
    @discardableResult
    package mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = find(key, hash: SlotIndex.hash(of: key)) else { return nil }
        let value = take(place)
        remove(place)
        return value
    }

    /// Removes an entry that is there.
    package mutating func remove(_ slot: Slot) { remove(slot.place) }

    private mutating func remove(_ place: UInt32) {
        places.remove(place, hash: rows[Int(place)].vacate())
        free.append(place)
    }

    private mutating func take(_ place: UInt32) -> Value {
        var value = Value.nothing
        swap(&value, &rows[Int(place)].value)
        return value
    }

    /// Visits up to `count` rows from `place` on, of which some may be vacant; returns where to continue, or `nil` at
    /// the end.
    ///
    /// The table may change between two calls: an entry that exists all the time is visited once.
    package func look(from place: Int, rows count: Int, _ visit: (Key, borrowing Value) -> Void) -> Int? {
        let end = Swift.min(rows.count, place + Swift.min(count, rows.count))
        for row in place..<Swift.max(place, end) where !rows[row].isVacant { visit(rows[row].key, rows[row].value) }
        return end < rows.count ? end : nil
    }

    package var keys: [Key] { map(\.key) }

    package var values: some Sequence<Value> { lazy.map(\.value) }

    package static func == (one: SlotTable, other: SlotTable) -> Bool {
        one.count == other.count && one.allSatisfy { other[$0.key] == $0.value }
    }
}

extension SlotTable: Sequence {
    /// Iterates over the entries.
    package struct Iterator: IteratorProtocol {
        fileprivate let rows: [Row]
        fileprivate var place = 0

        package mutating func next() -> (key: Key, value: Value)? {
            while place < rows.count {
                defer { place += 1 }
                if !rows[place].isVacant { return (rows[place].key, rows[place].value) }
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator {
        visits?.add(count)
        return Iterator(rows: rows)
    }
}
