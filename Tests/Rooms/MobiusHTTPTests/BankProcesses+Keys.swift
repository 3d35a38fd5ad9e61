#if HTTP
    import BankFleet
    import FleetTestSupport
    import Foundation
    import Testing

    extension BankProcesses {
        /// Runs `mobius keys` on the keys in the bank's folder.
        func keys(_ arguments: String...) async throws {
            let process = try TestProcess("mobius", ["keys"] + arguments + ["--keys", folder.file("keys")])
            #expect(try await process.end() == .exited(0))
        }

        /// Makes a token with these rights.
        func token(_ name: String, _ rights: String) async throws -> String {
            try await keys("token", name, "--rights", rights)
            let text = try String(contentsOfFile: folder.file("keys/\(name).token"), encoding: .utf8)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
#endif
