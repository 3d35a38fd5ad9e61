/// Writes values as JSON, in the order in which the value's type encodes its parts.
///
/// It belongs to one thread at a time. Nearly every type fills its containers in nested order. A type that uses two at
/// once, or a closed container, sets ``isOutOfOrder``: the output is then invalid.
final class EncodingMachine {
    /// Behind a pointer, to avoid exclusivity checks.
    let state: UnsafeMutablePointer<EncodingState>
    /// The coder's `userInfo`.
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    let views = ViewPool<EncodingView>()
    let ways = TypeTable(Way.itself)

    init(sortedKeys: Bool) {
        state = .allocate(capacity: 1)
        state.initialize(to: EncodingState(sortedKeys: sortedKeys))
    }

    deinit {
        state.pointee.output.deallocate()
        state.pointee.levels.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Writes a value as JSON; `nil` when its type used containers out of order.
    ///
    /// - Throws: what the type throws, and `EncodingError`.
    func encode<Value: Encodable>(_ value: Value) throws -> UnsafeBufferPointer<UInt8>? {
        state.pointee.begin()
        let slot = state.pointee.open(.empty, key: EncodingState.noKey)
        do {
            try write(value, into: slot)
        } catch  where state.pointee.isOutOfOrder {
            return nil  // the path in the error is invalid, too
        } catch  where state.pointee.isTooDeep {
            throw tooDeep(value)
        }
        guard !state.pointee.isOutOfOrder else { return nil }
        guard !state.pointee.isTooDeep else { throw tooDeep(value) }
        guard state.pointee.levels[0].kind != .empty else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "Top-level \(Value.self) did not encode any values."))
        }
        state.pointee.close(downTo: 0)
        return state.pointee.output.content
    }

    /// A value whose containers are nested too deeply to be decoded.
    func tooDeep(_ value: some Encodable) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: [],
                debugDescription: "It is nested more than \(EncodingState.maximumDepth) levels deep."))
    }
}

/// A place where one value is to be written, or a container that stands open there: the height in the stack, and a number
/// that no other has.
struct EncodingPlace {
    let height: Int32
    let serial: UInt32
}

/// The output so far, and the containers that are open.
struct EncodingState {
    /// One place for a value that is not finished.
    struct Level {
        enum Kind: UInt8 {
            /// Nothing is written there yet; a value other than a container is; a container stands open.
            case empty, single, object, array
        }

        let serial: UInt32
        var kind: Kind
        /// The number of members or elements written.
        var count: UInt32 = 0
        /// The offset of its key in the output, or ``noKey``.
        let key: Int
        /// The marks of the members before it that belong to open objects; only with sorted keys.
        var marks = 0
    }

    static let noKey = -1
    /// The maximum depth of nested containers: the same as for decoders.
    static let maximumDepth = JSONScanner.maximumDepth

    var output = OutputBytes()
    var levels = LevelStack()
    private(set) var isOutOfOrder = false
    private(set) var isTooDeep = false
    /// Whether encoding has failed: nested values, which may be far deeper, are skipped.
    var isLost: Bool { isTooDeep || isOutOfOrder }
    let sortedKeys: Bool
    /// The offsets at which members begin, of all open objects.
    private var marks: [Int] = []
    private var serial: UInt32 = 0

    init(sortedKeys: Bool) {
        self.sortedKeys = sortedKeys
    }

    mutating func begin() {
        output.removeAll()
        levels.removeAll()
        if !marks.isEmpty { marks.removeAll(keepingCapacity: true) }
        isOutOfOrder = false
        isTooDeep = false
    }

    // MARK: - Places

    mutating func open(_ kind: Level.Kind, key: Int) -> EncodingPlace {
        serial &+= 1
        levels.append(Level(serial: serial, kind: kind, key: key, marks: marks.count))
        switch kind {
        case .object, .array: beginContainer(kind)
        case .empty, .single: break
        }
        return EncodingPlace(height: Int32(truncatingIfNeeded: levels.count &- 1), serial: serial)
    }

    /// Whether the place is the innermost open one, after those within it were closed.
    @inline(__always)
    mutating func reach(_ place: EncodingPlace) -> Bool {
        let height = Int(place.height)
        guard height < levels.count, levels[height].serial == place.serial, !isOutOfOrder else {
            isOutOfOrder = true
            return false
        }
        if height &+ 1 < levels.count { close(downTo: height &+ 1) }
        return true
    }

    /// Makes the value at a place a container, or finds the container that it is already.
    mutating func makeContainer(_ kind: Level.Kind, at place: EncodingPlace) {
        guard reach(place) else { return }
        let height = Int(place.height)
        if levels[height].kind == kind { return }
        guard levels[height].kind == .empty else {
            isOutOfOrder = true
            return
        }
        levels[height].kind = kind
        beginContainer(kind)
    }

    /// Writes what stands before the first member or element of the innermost level.
    @inline(__always)
    private mutating func beginContainer(_ kind: Level.Kind) {
        if levels.count > Self.maximumDepth { isTooDeep = true }
        output.append(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
    }

    /// Makes ready for a value that is no container.
    mutating func makeSingle(at place: EncodingPlace) -> Bool {
        guard reach(place) else { return false }
        guard levels[Int(place.height)].kind == .empty else {
            isOutOfOrder = true
            return false
        }
        levels[Int(place.height)].kind = .single
        return true
    }

    /// Closes all levels from `height` on; a place where nothing was written holds an empty object.
    mutating func close(downTo height: Int) {
        while levels.count > height {
            let level = levels.removeLast()
            switch level.kind {
            case .object:
                if sortedKeys { sortMembers(from: level.marks) }
                output.append(UInt8(ascii: "}"))
            case .array: output.append(UInt8(ascii: "]"))
            case .empty: output.append("{}")
            case .single: break
            }
            if sortedKeys { marks.removeLast(marks.count - level.marks) }
        }
    }

    // MARK: - Members and elements

    /// Writes what stands before a member's value.
    ///
    /// - Returns: where the key stands, or `nil` when the container is not to be used.
    mutating func beginMember(_ key: String, of place: EncodingPlace) -> Int? {
        guard let start = beginKey(of: place) else { return nil }
        output.appendText(key)
        output.append(UInt8(ascii: ":"))
        return start
    }

    /// Writes a key as it was written before.
    @inline(__always)
    mutating func beginMember(written key: borrowing NameBytes, of place: EncodingPlace) -> Int? {
        guard let start = beginKey(of: place) else { return nil }
        output.append(key)
        return start
    }

    @inline(__always)
    private mutating func beginKey(of place: EncodingPlace) -> Int? {
        guard reach(place) else { return nil }
        separate(Int(place.height))
        if sortedKeys { markMember() }
        return output.count
    }

    @inline(never)
    private mutating func markMember() {
        marks.append(output.count)
    }

    /// Writes what stands before an element.
    mutating func beginElement(of place: EncodingPlace) -> Bool {
        guard reach(place) else { return false }
        separate(Int(place.height))
        return true
    }

    @inline(__always)
    private mutating func separate(_ height: Int) {
        if levels[height].count > 0 { output.append(UInt8(ascii: ",")) }
        levels[height].count &+= 1
    }

    /// Brings the members of the innermost object into the order of their keys; of equal keys the last stays.
    private mutating func sortMembers(from first: Int) {
        guard marks.count - first > 1 else { return }
        output.sortMembers(at: marks[first...])
    }
}
