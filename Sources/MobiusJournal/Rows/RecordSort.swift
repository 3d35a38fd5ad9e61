/// The kind of a record, encoded in its first byte.
package enum RecordSort: UInt8 {
    case start = 0
    case report = 1
    case failure = 2
    case outside = 3
    case timer = 10
    case loop = 11
    case answer = 14

    // Notes.
    case ended = 4
    case started = 5
    case retried = 6
    case deadLettered = 7
    case requeued = 8
    case dropped = 9
    case loopEnded = 12
    case remarked = 13
    case answered = 15

    /// Added to the byte of an event that ends its effect.
    package static let ends: UInt8 = 0x80

    /// The kind of an event with this source.
    package init(_ source: SourceKey) {
        self =
            switch source {
            case .start: .start
            case .report: .report
            case .failure: .failure
            case .outside: .outside
            case .timer: .timer
            case .loop: .loop
            case .answer: .answer
            }
    }

    /// The kind of a note.
    package init(_ note: EffectNote) {
        self =
            switch note {
            case .ended: .ended
            case .started: .started
            case .retried: .retried
            case .deadLettered: .deadLettered
            case .requeued: .requeued
            case .dropped: .dropped
            case .loopEnded: .loopEnded
            case .remarked: .remarked
            case .answered: .answered
            }
    }

    /// Whether the record is a note, which belongs to the event before it.
    package var isNote: Bool {
        switch self {
        case .start, .report, .failure, .outside, .timer, .loop, .answer: false
        case .ended, .started, .retried, .deadLettered, .requeued, .dropped, .loopEnded, .remarked, .answered: true
        }
    }
}
