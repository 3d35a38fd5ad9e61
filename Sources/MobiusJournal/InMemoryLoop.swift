import MobiusWire

/// One loop of an ``InMemoryStore``.
struct InMemoryLoop {
    /// A snapshot, and how many of the kept records came before it.
    struct Kept {
        let snapshot: Snapshot
        var count: Int
        /// Ascending in the journal.
        let serial: Int
    }

    /// A dead letter and its age: the smaller the serial number, the older it is.
    struct Letter {
        let letter: DeadLetter
        let serial: Int
    }

    private(set) var last: RecordPlace?
    /// Its last event, while it is idle.
    var idle: IdleLoop?
    /// The event with which it began.
    private(set) var began: UInt64 = 0
    /// The records after the older snapshot, or all that are kept.
    private(set) var records: [JournalRecord] = []
    /// The place of each of them.
    private var places: [RecordPlace] = []
    /// Snapshots before the older one, oldest first.
    private var earlier: [Kept] = []
    private(set) var older: Kept?
    private(set) var newest: Kept?
    /// The bytes of the kept records and models.
    private(set) var bytes = 0
    private(set) var sources: Set<SourceKey> = []
    private(set) var keys = OutsideKeys()
    private(set) var letters: [EffectID: Letter] = [:]
    /// Effects that operators retried, unless they were dropped since.
    private(set) var requeued: Set<EffectID> = []
    private var nextSerial = 0
    /// Each build and the first event that it wrote.
    private var builds: [(first: UInt64, build: String)] = []

    /// Drops what can be replayed; the keys stay.
    mutating func dropRecords() {
        (records, places, earlier) = ([], [], [])
        (older, newest) = (nil, nil)
        bytes = 0
    }

    mutating func append(_ record: JournalRecord, build: String, limits: JournalLimits) {
        let place = RecordPlace.of(record, after: last)
        idle = nil
        switch record {
        case .event(let event):
            if event.source == .start { began = event.sequence }
            if case .outside(let key) = event.source {
                keys.insert(key, at: event.sequence, event.reply, event.mark, limit: limits.outsideKeys)
            } else {
                sources.insert(event.source)
            }
            if builds.last?.build != build { builds.append((event.sequence, build)) }
        case .note(let effect, .deadLettered(let letter)): insert(letter, for: effect, limit: limits.deadLetters)
        case .note(let effect, .requeued):
            letters[effect] = nil
            requeued.insert(effect)
        case .note(let effect, .dropped):
            letters[effect] = nil
            requeued.remove(effect)
        case .note: break
        }
        records.append(record)
        places.append(place)
        bytes += record.historyBytes
        last = place
    }

    /// Keeps a snapshot.
    ///
    /// - Returns: The serial number of the older snapshot, before which recovery needs nothing; `nil` while there is none.
    mutating func keep(_ snapshot: Snapshot, serial: Int) -> Int? {
        snapshot.requirePlace(last)
        if let older { earlier.append(older) }
        older = newest
        newest = Kept(snapshot: snapshot, count: records.count, serial: serial)
        bytes += snapshot.model.bytes.count
        return older?.serial
    }

    /// Drops what is before the snapshot of a serial number, or before the older one if that is earlier.
    mutating func drop(before serial: Int) {
        guard let older else { return }
        let end = min(serial, older.serial)
        let kept = earlier.filter { $0.serial >= end }
        bytes -= earlier.reduce(0) { $1.serial < end ? $0 + $1.snapshot.model.bytes.count : $0 }
        let dropped = kept.first?.count ?? older.count
        bytes -= records.prefix(dropped).reduce(0) { $0 + $1.historyBytes }
        records.removeFirst(dropped)
        places.removeFirst(dropped)
        earlier = kept.map { Kept(snapshot: $0.snapshot, count: $0.count - dropped, serial: $0.serial) }
        self.older?.count -= dropped
        newest?.count -= dropped
    }

    /// All that are kept, oldest first.
    var snapshots: [Snapshot] { (earlier + [older, newest].compactMap(\.self)).map(\.snapshot) }

    /// The time of the newest event.
    var newestTime: WallTime? {
        for case .event(let event) in records.reversed() { return event.time }
        return nil
    }

    var tail: [JournalRecord] { Array(records[(newest?.count ?? 0)...]) }

    var between: [JournalRecord] { Array(records[(older?.count ?? 0)..<(newest?.count ?? 0)]) }

    func page(_ range: JournalRange, epoch: UInt64) -> JournalPage {
        var page = JournalPage(first: places.first?.sequence)
        let begin = RecordPlace(sequence: range.sequence, part: range.part)
        var bytes = 0
        for (record, place) in zip(records, places) where place >= begin {
            guard place.sequence <= range.last else { break }
            let build = builds.last { $0.first <= place.sequence }?.build ?? ""
            let isAdded = page.add(
                JournalEntry(
                    sequence: place.sequence, part: place.part, epoch: epoch, build: build, record: record),
                range, &bytes)
            guard isAdded else { break }
        }
        return page
    }

    func builds(in sequences: ClosedRange<UInt64>) -> [String] {
        guard let last, sequences.lowerBound <= last.sequence else { return [] }
        var found: [String] = []
        for (index, (first, build)) in builds.enumerated() where first <= sequences.upperBound {
            let next = index + 1 < builds.count ? builds[index + 1].first : .max
            if next > sequences.lowerBound, !found.contains(build) { found.append(build) }
        }
        return found
    }

    private mutating func insert(_ letter: DeadLetter, for effect: EffectID, limit: Int) {
        letters[effect] = Letter(letter: letter, serial: nextSerial)
        nextSerial += 1
        guard letters.count > limit, let oldest = letters.min(by: { $0.value.serial < $1.value.serial }) else { return }
        letters[oldest.key] = nil
    }
}

/// Outside keys, their last places, and what their senders were told.
struct OutsideKeys {
    private struct Place {
        let sequence: UInt64
        let reply: SenderReply?
        let mark: SenderMark?
    }

    private var places: [ExactText: Place] = [:]

    func contains(_ key: String) -> Bool { places[ExactText(key)] != nil }

    func confirmation(of key: String) -> EventConfirmation? {
        places[ExactText(key)].map { EventConfirmation(repeated: true, number: $0.sequence, reply: $0.reply) }
    }

    func mark(of key: String) -> SenderMark? { places[ExactText(key)]?.mark }

    mutating func insert(
        _ key: String, at sequence: UInt64, _ reply: SenderReply?, _ mark: SenderMark?, limit: Int
    ) {
        places[ExactText(key)] = Place(sequence: sequence, reply: reply, mark: mark)
        // Rarely, because it sorts all of them.
        guard places.count > limit + limit / 8 + 8 else { return }
        places = Dictionary(uniqueKeysWithValues: sorted.suffix(limit).map { ($0.key, $0.value) })
    }

    func newest(_ limit: Int) -> [String] { sorted.suffix(limit).map(\.key.text) }

    private var sorted: [(key: ExactText, value: Place)] {
        places.sorted { $0.value.sequence < $1.value.sequence }
    }
}

extension JournalRecord {
    /// The size that it adds to that of a history.
    fileprivate var historyBytes: Int {
        switch self {
        case .event(let event): 64 + event.payloadBytes
        case .note: 64
        }
    }
}
