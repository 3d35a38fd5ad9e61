public import MobiusWire

/// When a timer of a loop fires.
///
/// A timer that is due while no coordinator runs fires when the next one starts; of several times that a repeating one
/// missed, only the last counts.
public enum TimerSchedule: Hashable, Sendable {
    /// Once, so long after the commit of the event that asked for it.
    case after(Duration)
    /// Once, at this time; at once when that is over.
    case at(WallTime)
    /// Again and again, so far apart, first one such time after the commit; until it is cancelled.
    case every(Duration)
    /// Again and again, at the times of the calendar that the expression describes; until it is cancelled.
    case cron(CronSchedule)

    /// Whether it fires more than once.
    package var repeats: Bool {
        switch self {
        case .after, .at: false
        case .every, .cron: true
        }
    }

    /// Whether it counts from an event, and not by the calendar.
    package var isRelative: Bool {
        switch self {
        case .after, .every: true
        case .at, .cron: false
        }
    }

    /// When a timer that was asked for at `asked` fires first; `nil` for never.
    package func first(asked: WallTime) -> WallTime? {
        switch self {
        case .after(let pause): asked + max(.zero, pause)
        case .every(let pause): asked + max(.milliseconds(1), pause)
        case .at(let time): time
        case .cron(let schedule): schedule.next(after: asked)
        }
    }

    /// The last time it was to fire up to `now`, from `due` on: what it missed in between is fired once.
    package func latest(due: WallTime, now: WallTime) -> WallTime {
        switch self {
        case .after, .at: return due
        case .every(let pause):
            guard now > due else { return due }
            let step = max(1, (WallTime(milliseconds: 0) + pause).milliseconds)
            return WallTime(milliseconds: due.milliseconds + (now.milliseconds - due.milliseconds) / step * step)
        case .cron(let schedule): return max(due, schedule.latest(upTo: now) ?? due)
        }
    }

    /// When it fires after `due`; `nil` for never.
    package func next(after due: WallTime) -> WallTime? {
        switch self {
        case .after, .at: nil
        case .every(let pause): due + max(.milliseconds(1), pause)
        case .cron(let schedule): schedule.next(after: due)
        }
    }
}
