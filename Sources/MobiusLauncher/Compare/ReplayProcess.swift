package import Foundation
import Subprocess
import SystemPackage

/// A coordinator's executable of one build, which replays a journal in processes of its own.
package struct ReplayProcess: Sendable {
    /// The executable's path, or its name in the PATH.
    package let executable: String
    private let journal: String
    private let arguments: [String]

    /// Names an executable, the journal, and further arguments of it.
    package init(_ executable: String, journal: String, _ arguments: [String]) {
        (self.executable, self.journal, self.arguments) = (executable, journal, arguments)
    }

    /// Replays all loops; returns what `body` makes of the lines, and why the replay ended too early, if it did.
    ///
    /// - Throws: what the start of the process throws, and `body`.
    package func replay<Result: Sendable>(
        _ body: (inout ReplayLines) async throws -> Result
    ) async throws -> (result: Result, end: ReplayEnd?) {
        let result = try await Subprocess.run(
            target, arguments: Arguments(words + ["--replay-all", "--digests"]), environment: environment,
            input: .none, output: .sequence, error: .currentStandardError
        ) { execution in
            var lines = ReplayLines(execution.standardOutput.makeAsyncIterator())
            return try await body(&lines)
        }
        return (result.closureResult, ReplayEnd(result.terminationStatus))
    }

    /// The line about an event of a loop, with its model; `nil` when this build has none.
    package func line(of loop: String, at sequence: UInt64) async throws -> Data? {
        let result = try await Subprocess.run(
            target, arguments: Arguments(words + ["--replay", loop, "--at", "\(sequence)"]),
            environment: environment, input: .none, output: .data(limit: 64 << 20), error: .discarded)
        guard case .exited(0) = result.terminationStatus else { return nil }
        return result.standardOutput
    }

    private var target: Executable { executable.contains("/") ? .path(FilePath(executable)) : .name(executable) }
    private var words: [String] { ["--journal", journal] + arguments }

    /// Sets and dictionaries have the same order in each process, so that digests of what is equal are equal.
    private var environment: Environment { .inherit.updating(["SWIFT_DETERMINISTIC_HASHING": "1"]) }
}

/// A replay's end before its time.
package struct ReplayEnd: Sendable {
    /// Whether it trapped, or something else ended it by a signal.
    package let isSignal: Bool
    /// What ended it, in a clause.
    package let reason: String

    fileprivate init?(_ status: TerminationStatus) {
        switch status {
        case .exited(0): return nil
        case .exited(let code): (isSignal, reason) = (false, "it ended with exit code \(code)")
        case .signaled(let signal): (isSignal, reason) = (true, "it ended with signal \(signal)")
        }
    }
}

/// The lines of a process, one after the other.
package struct ReplayLines {
    private var buffers: SubprocessOutputSequence.Iterator
    private var bytes: [UInt8] = []
    private var place = 0

    fileprivate init(_ buffers: SubprocessOutputSequence.Iterator) { self.buffers = buffers }

    /// The next line without its end; `nil` after the last one.
    package mutating func next() async throws -> ArraySlice<UInt8>? {
        var searched = place
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { place = end + 1 }
                return bytes[place..<end]
            }
            searched = bytes.count - place
            bytes.removeFirst(place)
            place = 0
            guard let buffer = try await buffers.next() else {
                defer { bytes = [] }
                return bytes.isEmpty ? nil : bytes[...]
            }
            buffer.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
    }
}
