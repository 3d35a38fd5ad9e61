import Foundation
import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusTestKit

/// The contexts with which the program of a run was called, and whether each event on disk was applied with its own.
final class Contexts {
    private struct Call: Hashable {
        let loop: String
        let number: UInt64
    }

    /// Several processes may apply an event under the same number, of which one is committed.
    private var calls: [Call: Set<LoopContext>] = [:]
    private(set) var violations: [Violation] = []

    /// The program is called with this context.
    func note(_ context: LoopContext) {
        calls[Call(loop: context.loop, number: context.number), default: []].insert(context)
    }

    /// The program of a kind is called for a loop.
    func note(_ kind: String, for loop: String) {
        guard loop.split(separator: "/").first.map(String.init) != kind else { return }
        violations.append(Violation(.appliedOnce, "the program of the kind \(kind) is called for the loop \(loop)"))
    }

    /// Checks records that are on disk now.
    func committed(_ records: [JournalRecord]) {
        for case .event(let record) in records {
            let context = LoopContext(record)
            let seen = calls.removeValue(forKey: Call(loop: context.loop, number: context.number)) ?? []
            // An event that an operator dropped reaches no program.
            guard record.event != nil || record.source == .start, !seen.contains(context) else { continue }
            let sentence = """
                event \(context.number) of loop \(context.loop) is on disk with the time \(context.milliseconds), and was \
                applied at \(seen.map(\.milliseconds))
                """
            violations.append(Violation(.appliedOnce, sentence))
        }
    }

    // MARK: The thread of a run

    /// Runs `body`, in which the program of this thread is called with contexts that these note.
    func noting<Result>(_ body: () -> Result) -> Result {
        Thread.current.threadDictionary[Self.key] = self
        defer { Thread.current.threadDictionary[Self.key] = nil }
        return body()
    }

    private static let key = "contexts"

    static var current: Contexts? { Thread.current.threadDictionary[key] as? Contexts }
}
