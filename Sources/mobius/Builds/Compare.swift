import ArgumentParser
import Foundation
import MobiusLauncher
import MobiusProcess

/// The command `mobius compare JOURNAL --with EXECUTABLE`.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Says what another build of a coordinator would have done.",
        discussion: """
            Both builds apply all kept events of a journal again, each in a process of its own, and change nothing; the journal may be in \
            use. For each loop the first event is found at which their models or effects differ. Loops that part in the same way are one \
            entry with a count, and the difference of the models of the first of them. Without --against, the effects are compared with \
            those that the journal has; models are not, see --verify.

            A field of the model that only one build has at the start is no difference, but is told. Loops that cannot be compared to \
            their ends are counted, with the first reason; so are those that only one replay has, since the journal was in use. A set is coded in an order of its own: one that is filled in another order may \
            count as another.

            Examples:
              mobius compare shop.journal --with ./new --against ./old
              mobius compare postgresql://db/shop --with .build/release/shop --markdown

            Exit codes: 0 when both do the same; 1 when loops part, or cannot be compared to their ends; 64 for wrong arguments; 69 when an executable cannot be run; 70 when a \
            replay ends too early, with what it wrote to stderr.
            """)

    @Argument(help: "The journal: a file, a backup, or a postgresql:// URL.")
    var journal: String

    @Option(name: .customLong("with"), help: ArgumentHelp("The new build's executable.", valueName: "executable"))
    var new: String

    @Option(
        name: .customLong("against"),
        help: ArgumentHelp("The old build's executable (default: the effects in the journal).", valueName: "executable")
    )
    var old: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print Markdown, for a comment of CI.")
    var markdown = false

    @Argument(parsing: .postTerminator, help: "Further arguments of both executables, behind --.")
    var arguments: [String] = []

    func validate() throws {
        guard !json || !markdown else { throw ValidationError("--json and --markdown do not go together.") }
    }

    func run() async throws {
        try await FleetExit.reporting {
            let newBuild = ReplayProcess(new, journal: journal, arguments)
            let oldBuild = old.map { ReplayProcess($0, journal: journal, arguments) }
            let comparison = try await compare(newBuild, oldBuild)
            var report = CompareReport(comparison, new: new, old: old)
            for group in comparison.groups.prefix(CompareReport.shown) {
                guard let oldBuild, let sequence = group.sequence, group.parting.failure == nil else { continue }
                // Each in a process of its own, of which one may fail: the rest of the report is as good.
                guard let before = try? await oldBuild.line(of: group.first, at: sequence),
                    let after = try? await newBuild.line(of: group.first, at: sequence),
                    let difference = try? ModelDifference.lines(before, after)
                else { continue }
                report.differences[group.parting] = difference
            }
            print(json ? try report.json() : markdown ? report.markdown : report.text)
            guard comparison.isEqual else { throw ExitCode(1) }
        }
    }

    /// Runs both replays at once, and compares what they print.
    private func compare(_ new: ReplayProcess, _ old: ReplayProcess?) async throws -> BuildComparison {
        var found: (result: (comparison: BuildComparison, next: ArraySlice<UInt8>?), end: ReplayEnd?)
        do {
            if let old {
                let both = try await old.replay { theirs in
                    // Moved in and out, because it is read in the closure within.
                    var lines = theirs
                    defer { theirs = lines }
                    return try await new.replay { ours in try await compare(&ours, &lines) }
                }
                if let end = both.end {
                    throw FleetExit(.software, "\(old.executable) cannot replay the journal: \(end.reason).")
                }
                found = both.result
            } else {
                found = try await new.replay { ours in
                    var comparison = BuildComparison()
                    while let line = try await ours.next() { try comparison.compare(line) }
                    return (comparison, nil)
                }
            }
        } catch is DecodingError {
            throw FleetExit(.software, "What was printed is no replay; is it a coordinator of this version?")
        } catch let error as FleetExit {
            throw error
        } catch {
            throw FleetExit(.unavailable, "A replay cannot be run: \(error)")
        }
        var (comparison, next) = found.result
        if let end = found.end {
            // A new build that traps is a difference, too; one that cannot open the journal is none.
            guard end.isSignal, comparison.events > 0 || next != nil else {
                throw FleetExit(.software, "\(self.new) cannot replay the journal: \(end.reason).")
            }
            comparison.ended(because: end.reason, before: next)
        } else if !comparison.isComplete {
            throw FleetExit(.software, "A replay has no end; is it a coordinator of this version?")
        }
        return comparison
    }

    /// Compares two replays; returns also the line that the old one has next when the new one has ended.
    private func compare(
        _ ours: inout ReplayLines, _ theirs: inout ReplayLines
    ) async throws -> (comparison: BuildComparison, next: ArraySlice<UInt8>?) {
        var comparison = BuildComparison()
        var one = try await ours.next()
        if let one { try BuildComparison.check(one) }  // at once: the other may be long in coming
        var other = try await theirs.next()
        while let mine = one, let its = other {
            let advance = try comparison.compare(mine, its)
            if advance != .old { one = try await ours.next() }
            if advance != .new { other = try await theirs.next() }
        }
        let next = one == nil ? other : nil
        while other != nil { other = try await theirs.next() }
        while one != nil { one = try await ours.next() }
        return (comparison, next)
    }
}
