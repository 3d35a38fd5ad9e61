import MobiusJournal
import MobiusWire

/// The numbers of a record's row; those that do not apply are 0, which takes no space in SQLite.
struct RecordRow {
    /// What a row is, as its `source` column says it.
    enum Source {
        static let start: Int64 = 0
        static let report: Int64 = 1
        static let failure: Int64 = 2
        static let outside: Int64 = 3
        static let timer: Int64 = 10

        // Notes: no event.
        static let ended: Int64 = 4
        static let started: Int64 = 5
        static let setback: Int64 = 6
        /// The effect is kept in place of an event, the reason in place of a key.
        static let died: Int64 = 7
        /// The effect is kept in place of an event.
        static let revived: Int64 = 8
        static let dropped: Int64 = 9
    }

    /// How many columns these numbers fill, from the first.
    static let count: CInt = 12
    /// Their names, then the others: the order of every statement on records.
    static let columns = """
        loop, sequence, part, source, effect_sequence, effect_index, epoch, attempt, number, ends, kind, time, \
        key, event, effects, checksum
        """

    var loop: Int64
    var sequence: Int64
    var part: Int64
    var source: Int64 = 0
    var effectSequence: Int64 = 0
    var effectIndex: Int64 = 0
    /// An attempt's epoch, or when a timer was due.
    var epoch: Int64 = 0
    /// An attempt's number, or the round that a dead letter ended.
    var attempt: Int64 = 0
    /// A report's number, a failure's or revival's round, or how many attempts failed.
    var number: Int64 = 0
    var ends: Int64 = 0
    var kind: Int64 = 0
    /// When it was applied, died or was revived.
    var time: Int64 = 0

    /// Describes `record`, standing at `place` of the loop numbered `loop`; its kind is its writer's to number.
    init(_ record: JournalRecord, at place: RecordPlace, loop: Int64) {
        self.loop = loop
        sequence = Int64(bitPattern: place.sequence)
        part = Int64(place.part)
        switch record {
        case .event(let event): set(event)
        case .note(let effect, let note):
            set(effect)
            set(note)
        }
    }

    private mutating func set(_ event: EventRecord) {
        ends = event.ends == nil ? 0 : 1
        time = event.time.milliseconds
        switch event.source {
        case .start: source = Source.start
        case .report(let attempt, number: let report):
            source = Source.report
            set(attempt.effect)
            set(attempt.attempt)
            number = Int64(report)
        case .failure(let effect, let round):
            source = Source.failure
            set(effect)
            number = Int64(round)
        case .timer(let effect, let due):
            source = Source.timer
            set(effect)
            epoch = due.milliseconds
        case .outside: source = Source.outside
        }
    }

    private mutating func set(_ note: EffectNote) {
        switch note {
        case .ended: source = Source.ended
        case .started(let attempt):
            source = Source.started
            set(attempt)
        case .setback(let failures):
            source = Source.setback
            number = Int64(failures)
        case .died(let letter):
            source = Source.died
            number = Int64(letter.failures)
            attempt = Int64(letter.round)
            time = letter.time.milliseconds
        case .revived(_, let round, let at):
            source = Source.revived
            number = Int64(round)
            time = at.milliseconds
        case .dropped: source = Source.dropped
        }
    }

    private mutating func set(_ attempt: Attempt) {
        epoch = Int64(bitPattern: attempt.epoch)
        self.attempt = Int64(attempt.number)
    }

    private mutating func set(_ effect: EffectID) {
        effectSequence = Int64(bitPattern: effect.sequence)
        effectIndex = Int64(effect.index)
    }

    /// Binds the first ``count`` columns.
    func bind(to statement: RawStatement) {
        statement.bind(loop, 1)
        statement.bind(sequence, 2)
        statement.bind(part, 3)
        statement.bind(source, 4)
        statement.bind(effectSequence, 5)
        statement.bind(effectIndex, 6)
        statement.bind(epoch, 7)
        statement.bind(attempt, 8)
        statement.bind(number, 9)
        statement.bind(ends, 10)
        statement.bind(kind, 11)
        statement.bind(time, 12)
    }

    /// Reads the first ``count`` columns of the current row.
    init(from statement: RawStatement) {
        loop = statement.number(0)
        sequence = statement.number(1)
        part = statement.number(2)
        source = statement.number(3)
        effectSequence = statement.number(4)
        effectIndex = statement.number(5)
        epoch = statement.number(6)
        attempt = statement.number(7)
        number = statement.number(8)
        ends = statement.number(9)
        kind = statement.number(10)
        time = statement.number(11)
    }

    /// Whether the current row, of which these are the numbers, is what was written.
    func matchesChecksum(_ statement: RawStatement) -> Bool {
        let sum = checksum(key: statement.bytes(12), event: statement.bytes(13), effects: statement.bytes(14))
        return sum == statement.number(15)
    }

    /// The row's sum, over these numbers and the bytes beside them.
    func checksum(
        key: UnsafeRawBufferPointer, event: UnsafeRawBufferPointer, effects: UnsafeRawBufferPointer
    ) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        // Small numbers share a step; a flipped bit in any of them still changes it.
        sum.add(part << 32 ^ source << 8 ^ ends)
        sum.add(effectSequence)
        sum.add(effectIndex << 32 ^ number)
        sum.add(epoch)
        sum.add(attempt << 32 ^ kind)
        sum.add(key)
        sum.add(event)
        sum.add(effects)
        // Rows of format 1 have no time, and their sums stay right.
        if time != 0 { sum.add(time) }
        return sum.value
    }
}
