/// Which modules each room may import.
///
/// SwiftPM alone lets a target import whatever its dependencies drag in.
enum ImportWalls {
    private static let basics: Set = ["Foundation", "Dispatch", "Synchronization"]
    private static let platform: Set = ["Glibc", "Musl", "Darwin"]
    private static let nio: Set = ["NIOCore", "NIOPosix"]
    private static let command: Set = ["ArgumentParser", "Logging", "ServiceLifecycle"]

    /// A room per row; the same table, with reasons, stands in CONTRIBUTING.md.
    static let table: [String: Set<String>] = [
        "CZeroMQ": [],
        "CLibCurl": [],
        "CLibIDN2": [],
        "CLibPQ": [],
        "CLibSQLite": [],
        "CDashboard": [],
        "MobiusFleet": [],
        "MobiusCore": basics,
        "MobiusExtras": ["MobiusCore", "Dispatch", "Synchronization"],
        "MobiusTest": ["MobiusCore", "Foundation", "Synchronization", "Testing", "XCTest"],
        "MobiusCodec": ["Foundation", "Synchronization"],
        "MobiusWire": ["MobiusCodec"],
        "MobiusJournal": ["MobiusWire", "Synchronization"],
        // Synchronization for one counter, by which the simulation sees what a step costs.
        "MobiusEngine": ["DequeModule", "MobiusJournal", "MobiusWire", "Synchronization"],
        "MobiusJournalTables": ["MobiusJournal", "MobiusWire"],
        "MobiusJournalSQLite": basics.union(platform).union([
            "CLibSQLite", "MobiusJournal", "MobiusJournalTables", "MobiusWire",
        ]),
        "MobiusJournalPostgreSQL": platform.union([
            "CLibPQ", "Logging", "MobiusJournal", "MobiusJournalTables", "MobiusWire",
        ]),
        "MobiusTransport": platform.union(["CZeroMQ", "Synchronization"]),
        // Instrumentation for the trace context that an event carries.
        "MobiusProgram": [
            "Instrumentation", "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusEngine", "Synchronization",
        ],
        "MobiusRuntime": basics.union(platform).union([
            "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusEngine", "MobiusProgram", "Tracing",
        ]),
        "MobiusDriver": [
            "Foundation", "Synchronization", "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusJournal",
            "MobiusEngine", "MobiusProgram", "MobiusRuntime", "Logging",
        ],
        "MobiusProcess": basics.union(platform).union(command).union(["CoreMetrics", "MobiusCodec", "MobiusWire"]),
        "MobiusHTTP": nio.union(command).union([
            "CDashboard", "CoreMetrics", "HTTPTypes", "Hummingbird", "HummingbirdCore", "MobiusClient", "MobiusCodec",
            "MobiusProcess", "MobiusWire", "NIOHTTPTypes", "Synchronization",
        ]),
        "MobiusCoordinator": basics.union(platform).union(command).union([
            "MobiusCore", "MobiusClient", "MobiusCodec", "MobiusWire", "MobiusJournal", "MobiusEngine",
            "MobiusJournalSQLite", "MobiusProgram", "MobiusRuntime", "MobiusDriver", "MobiusTransport",
            "MobiusProcess", "CoreMetrics",
        ]),
        "MobiusWorker": basics.union(command).union([
            "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusEngine", "MobiusRuntime", "MobiusDriver",
            "MobiusProgram", "MobiusTransport", "MobiusProcess", "CoreMetrics",
        ]),
        "MobiusClient": basics.union([
            "Logging", "MobiusCodec", "MobiusCore", "MobiusProgram", "MobiusTransport", "MobiusWire",
        ]),
        "MobiusTestKit": basics.union([
            "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusJournal", "MobiusEngine", "MobiusProgram",
            "MobiusRuntime", "MobiusDriver", "Logging",
        ]),
        "MobiusLauncher": basics.union(platform).union([
            "ArgumentParser", "Logging", "MobiusClient", "MobiusCodec", "MobiusProcess", "MobiusTransport",
            "MobiusWire", "Subprocess", "SystemPackage", "Yams",
        ]),
        "mobius": basics.union(platform).union([
            "ArgumentParser", "MobiusClient", "MobiusCodec", "MobiusJournal", "MobiusLauncher", "MobiusProcess",
            "MobiusTransport", "MobiusWire",
        ]),
        "mobius-journal": basics.union(platform).union([
            "ArgumentParser", "MobiusCodec", "MobiusJournal", "MobiusJournalPostgreSQL", "MobiusJournalSQLite",
            "MobiusProcess", "MobiusWire",
        ]),
        "mobius-serve": command.union([
            "Foundation", "MobiusClient", "MobiusHTTP", "MobiusLauncher", "MobiusProcess", "MobiusTransport",
            "MobiusWire",
        ]),
        "SiteAudit": ["CLibIDN2", "MobiusCore", "MobiusProgram"],
        "site-audit": basics.union([
            "SiteAudit", "MobiusCore", "MobiusCoordinator", "MobiusProcess", "MobiusJournalPostgreSQL",
            "ArgumentParser",
        ]),
        "PageFetching": basics.union(platform).union(["CLibCurl", "Logging", "SiteAudit"]),
        "page-fetcher": basics.union([
            "PageFetching", "SiteAudit", "MobiusCore", "MobiusWorker", "ArgumentParser", "Logging",
        ]),
        "report-writer": basics.union(platform).union(["SiteAudit", "MobiusCore", "MobiusWorker"]),
        "sample-site-server": basics.union(["ArgumentParser", "MobiusProcess"]),
        "site-audit-fleet": [],
        "Greeter": ["MobiusCore", "MobiusProgram"],
        "greeter-coordinator": ["Greeter", "MobiusCore", "MobiusCoordinator", "ArgumentParser"],
        "greeter-worker": ["Greeter", "MobiusCore", "MobiusWorker"],
        "Orders": ["MobiusCore", "MobiusProgram"],
        "orders-coordinator": ["MobiusCore", "MobiusCoordinator", "MobiusJournalPostgreSQL", "Orders"],
        "OrderLedgers": ["Foundation", "GRDB", "MobiusCore", "MobiusWorker", "Orders"],
        "stock": ["MobiusCore", "MobiusWorker", "OrderLedgers", "Orders"],
        "payments": ["MobiusCore", "MobiusWorker", "OrderLedgers", "Orders"],
        "shipping": ["Foundation", "MobiusCore", "MobiusWorker", "OrderLedgers", "Orders"],
        "Counter": ["MobiusCore", "MobiusProgram"],
        "CounterTerminal": basics.union(platform).union(command).union(["Counter", "MobiusProcess", "MobiusCore"]),
        "SoundPlaying": basics.union(platform).union(["ArgumentParser", "Subprocess", "SystemPackage"]),
        "counter-loop": [
            "ArgumentParser", "Counter", "CounterTerminal", "Logging", "MobiusProcess", "MobiusCore", "SoundPlaying",
        ],
        "counter-pool": [
            "ArgumentParser", "Counter", "CounterTerminal", "Logging", "MobiusProcess", "MobiusCoordinator",
            "MobiusCore",
        ],
        "counter-coordinator": ["ArgumentParser", "Counter", "CounterTerminal", "MobiusCoordinator", "MobiusCore"],
        "sound-player": ["ArgumentParser", "Counter", "MobiusCore", "MobiusWorker", "SoundPlaying"],
    ]

    /// The modules that `file` imports, with their lines.
    static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        let code = file.code
        return code.indices.compactMap { index in
            guard code[index].reads("import"), index == 0 || !code[index - 1].reads(".") else { return nil }
            let name = code[(index + 1)...].first { !kinds.contains($0.text) }
            return name.map { ($0.text, $0.line) }
        }
    }

    /// Imports that no row allows.
    static func problems(in file: SourceFile) -> [Problem] {
        guard let allowed = table[file.room] else {
            return [file.problem(1, "the room \(file.room) has no row: \(newRoomAdvice)")]
        }
        return imports(of: file).flatMap { module, line in
            guard allowed.contains(module) else {
                return [file.problem(line, "\(file.room) may not import \(module): \(rowAdvice(allowed))")]
            }
            guard platform.contains(module), file.occurrences(of: "canImport(").isEmpty else { return [] }
            return [file.problem(line, "choose the C library with #if canImport(Glibc) … #else … #endif")]
        }
    }

    /// Folders that no row describes.
    static func problems(inRooms rooms: [String]) -> [Problem] {
        rooms.compactMap { path in
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return table[name] == nil ? Problem(place: path, advice: newRoomAdvice) : nil
        }
    }

    private static let newRoomAdvice =
        "give it a row in ImportWalls.table (and in CONTRIBUTING.md) that says what it may import"

    private static func rowAdvice(_ allowed: Set<String>) -> String {
        let row = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
        return "its row allows \(row); move the code to the room that may, or change the table and say why"
    }
}
