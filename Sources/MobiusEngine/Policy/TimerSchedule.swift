public import MobiusWire

/// The times at which a timer of a loop fires.
///
/// A timer that becomes due while no coordinator runs fires at the next start; if a repeating timer missed several
/// times, it fires once, for the last one.
public enum TimerSchedule: Hashable, Sendable {
    /// Once, at this time after the commit of its event.
    case after(Duration)
    /// Once, at this time; at once if it has passed.
    case at(WallTime)
    /// Repeatedly, at this interval, first one interval after the commit; until it is cancelled.
    case every(Duration)
    /// Repeatedly, at the expression's calendar times; until it is cancelled.
    case cron(CronSchedule)

    /// Whether it fires more than once.
    package var repeats: Bool {
        switch self {
        case .after, .at: false
        case .every, .cron: true
        }
    }

    /// Whether it is relative to its event, and not to the wall clock.
    package var isRelative: Bool {
        switch self {
        case .after, .every: true
        case .at, .cron: false
        }
    }

    /// The time before it fires, or between two times; `nil` for one that the calendar names.
    package var pause: Duration? {
        switch self {
        case .after(let pause): max(.zero, pause)
        case .every(let pause): max(.milliseconds(1), pause)
        case .at, .cron: nil
        }
    }

    /// Its next time after `now`, if one more comes before `due`.
    ///
    /// Then the wall clock was ahead when it fired last, and was set back since. By one of them it may have fired right before
    /// a small step back.
    func earlier(than due: WallTime, after now: WallTime) -> WallTime? {
        guard case .cron(let schedule) = self, due > now, let next = schedule.next(after: now),
            let second = schedule.next(after: next), second < due
        else { return nil }
        return next
    }

    /// Returns the time at which a timer that was asked for at `asked` fires first; `nil` for never.
    package func first(asked: WallTime) -> WallTime? {
        switch self {
        case .after(let pause): asked + max(.zero, pause)
        case .every(let pause): asked + max(.milliseconds(1), pause)
        case .at(let time): time
        case .cron(let schedule): schedule.next(after: asked)
        }
    }

    /// Its last time up to `now`, from `due` on: missed times fire once.
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

    /// Returns the time at which it fires after `due`; `nil` for never.
    package func next(after due: WallTime) -> WallTime? {
        switch self {
        case .after, .at: nil
        case .every(let pause): due + max(.milliseconds(1), pause)
        case .cron(let schedule): schedule.next(after: due)
        }
    }
}
