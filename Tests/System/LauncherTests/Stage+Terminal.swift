import FleetTestSupport
import Subprocess
import SystemPackage

extension Stage {
    /// Runs `mobius` as the program of a terminal; the closure may type and wait meanwhile.
    func mobius(
        _ arguments: [String], on terminal: PseudoTerminal, adding variables: [Environment.Key: String?] = [:],
        during body: () async throws -> Void
    ) async throws -> TerminationStatus {
        var options = PlatformOptions()
        options.createSession = true
        // The first process of a session gets the terminal that it opens as its own.
        let script = "exec \"$@\" <\(terminal.path) >\(terminal.path) 2>&1"
        return try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(["-c", script, "sh", try Self.mobius()] + arguments),
            environment: environment.updating(["TERM": "xterm", "NO_COLOR": nil]).updating(variables),
            workingDirectory: FilePath(path("")),
            platformOptions: options,
            input: .none, output: .discarded, error: .discarded
        ) { _ in
            try await body()
        }.terminationStatus
    }
}
