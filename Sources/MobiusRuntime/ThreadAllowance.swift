/// Decides how many jobs threads may run at once: few while jobs are quick, up to a limit while they keep their threads.
///
/// It looks every few milliseconds. When all that may run have kept their threads since it looked last, twice as many may; when
/// jobs turn out to be quick, only few do besides those that have. So slow jobs run side by side, and threads that waited
/// for a processor of a busy machine don't bring others, which would wait as well.
package struct ThreadAllowance: Equatable, Sendable {
    /// How many are enough for jobs that don't wait.
    package let few: Int
    /// How many there may ever be.
    package let limit: Int
    /// How many jobs threads may run now.
    package private(set) var count: Int
    /// How many jobs run.
    package private(set) var running = 0
    /// How many jobs were begun, ever.
    package private(set) var begun: UInt64 = 0
    /// What ``begun`` was at the last look.
    private var seen: UInt64 = 0
    /// How many jobs run that ran then.
    private var kept = 0

    /// Begins with few.
    ///
    /// - Parameters:
    ///   - few: at least 1, and never more than the limit.
    ///   - limit: at least 1.
    package init(few: Int, limit: Int) {
        self.limit = max(1, limit)
        self.few = min(self.limit, max(1, few))
        count = self.few
    }

    /// Whether there may ever be more than few.
    package var canGrow: Bool { few < limit }

    /// Whether not one job was begun since the last look.
    package var isStuck: Bool { begun == seen }

    /// Begins a job; answers its number, from 1.
    package mutating func begin() -> UInt64 {
        running += 1
        begun += 1
        return begun
    }

    /// Ends a job; falls back to few when none waits.
    package mutating func end(_ number: UInt64, isLast: Bool) {
        running -= 1
        if number <= seen { kept -= 1 }
        if isLast, running < few { count = few }
    }

    /// Looks for the first time after nothing waited.
    package mutating func beginLooking() {
        (seen, kept) = (begun, running)
    }

    /// Looks again, while jobs wait.
    ///
    /// - Parameter areQuick: whether jobs usually take much less time than lies between two looks.
    package mutating func lookAgain(areQuick: Bool) {
        if isStuck {
            if running >= count { count = min(limit, count * 2) }
        } else if areQuick {
            count = min(count, kept + few)
        }
        beginLooking()
    }

    /// The system refused a thread: those that there are have to do, until more are wanted again.
    package mutating func wasRefused(has threads: Int) {
        count = min(count, max(1, threads))
    }
}
