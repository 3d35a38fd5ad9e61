import MobiusJournal

/// What a record is, as its first byte says.
enum RecordSort: UInt8 {
    case start = 0
    case report = 1
    case failure = 2
    case outside = 3
    case timer = 10

    // Notes.
    case ended = 4
    case started = 5
    case setback = 6
    case died = 7
    case revived = 8
    case dropped = 9

    /// Added to an event's when it ends its effect.
    static let ends: UInt8 = 0x80

    /// Tells an event's.
    init(_ source: SourceKey) {
        self =
            switch source {
            case .start: .start
            case .report: .report
            case .failure: .failure
            case .outside: .outside
            case .timer: .timer
            }
    }

    /// Tells a note's.
    init(_ note: EffectNote) {
        self =
            switch note {
            case .ended: .ended
            case .started: .started
            case .setback: .setback
            case .died: .died
            case .revived: .revived
            case .dropped: .dropped
            }
    }

    /// Whether it belongs to the event before.
    var isNote: Bool {
        switch self {
        case .start, .report, .failure, .outside, .timer: false
        case .ended, .started, .setback, .died, .revived, .dropped: true
        }
    }
}
