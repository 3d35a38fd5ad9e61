public import Foundation
import Subprocess
import SystemPackage

/// Plays a short sound with what the machine has; without a sound card, a player or a file it makes do with less.
public struct SoundPlayer: Sendable {
    private let choice: PlayerChoice
    private let file: String?
    private let timeLimit: Duration
    private let searchPath: [String]

    /// Describes a player; nothing is looked up yet.
    ///
    /// - Parameters:
    ///   - file: A sound file; nil: a sound of the system.
    ///   - timeLimit: The time that a program may play, 5 s; then it is killed, and the next way is tried.
    ///   - environment: Its `PATH` says where the programs are.
    public init(
        _ choice: PlayerChoice = .auto, file: String? = nil, timeLimit: Duration = .seconds(5),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.choice = choice
        self.file = file
        self.timeLimit = timeLimit
        searchPath = environment["PATH", default: ""].split(separator: ":").map(String.init)
    }

    /// Makes the sound, in the first way that works, and returns when it is over.
    ///
    /// It never fails: the last way is to say that there was none. A program that plays is killed when the task is
    /// cancelled. Safe from any task, several at a time.
    @concurrent public func play() async -> PlayedSound {
        guard choice != .none else { return .silent }
        for program in choice.programs {
            guard let file = file ?? SystemSound.file(for: program), let path = find(program) else { continue }
            if await run(path, file) { return .program(program, file: file) }
            if Task.isCancelled { return .cancelled }
        }
        return TerminalBell.ring() ? .bell : .nothing
    }

    private func find(_ program: String) -> String? {
        searchPath.map { $0 + "/" + program }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether the program played the file to its end.
    private func run(_ program: String, _ file: String) async -> Bool {
        await withTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                // Cancelled, it kills the program.
                let result = try? await Subprocess.run(
                    .path(FilePath(program)), arguments: [file], input: .none, output: .discarded, error: .discarded)
                return result?.terminationStatus.isSuccess == true
            }
            tasks.addTask { [timeLimit] in
                try? await Task.sleep(for: timeLimit)
                return false
            }
            let played = await tasks.next() == true
            tasks.cancelAll()
            return played
        }
    }
}
