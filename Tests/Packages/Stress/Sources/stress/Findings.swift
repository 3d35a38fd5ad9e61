import Foundation
import Synchronization

/// What went wrong, told at once and counted.
///
/// Relaxed atomics on purpose, here and in all that watches: what only watches must not order the threads it watches, or
/// it would hide races from ThreadSanitizer.
enum Findings {
    private static let total = Atomic(0)
    private static let most = 20

    /// How many there were.
    static var count: Int { total.load(ordering: .relaxed) }

    /// Notes that something is not as promised.
    static func add(_ sentence: @autoclosure () -> String) {
        let place = total.add(1, ordering: .relaxed).newValue
        if place <= most { say("stress: found: \(sentence())") }
        if place == most { say("stress: more are counted only") }
    }

    /// Notes it unless `isTrue`.
    @inline(__always)
    static func expect(_ isTrue: Bool, _ sentence: @autoclosure () -> String) {
        if !isTrue { add(sentence()) }
    }
}

/// Writes a line to standard error.
func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
