/// The name of a new package: `invoice-pipeline`, whose module is `InvoicePipeline`.
struct PackageName {
    /// As given: the name of the folder, the fleet, the pool and the journal, and the beginning of the executables'.
    let text: String

    /// Fails unless the text follows the ``rule``.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = text.first, ("a"..."z").contains(first), text.utf8.count <= 50 else { return nil }
        let isValid = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
        }
        guard isValid else { return nil }
        self.text = text
    }

    /// What a name may be.
    static let rule =
        "use at most 50 lower-case letters, digits and single hyphens, beginning with a letter, such as invoice-pipeline"

    /// The module and the type of the program.
    var module: String {
        text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Whether the module's name already means something in the files of the package or in the packages they need.
    var isTaken: Bool {
        module.hasPrefix("Mobius") || Self.taken.contains(module)
            || Self.dependencies.contains(module.lowercased())
    }

    /// Keywords, and types that the files use.
    private static let taken: Set = [
        "Any", "Codable", "CoordinatorCommand", "CoordinatorSettings", "Effect", "EffectRouter", "Equatable", "Event",
        "First", "LoopHandle", "LoopProgram", "Model", "Next", "Program", "Protocol", "Routes", "Self", "Sendable",
        "String", "Test", "TestFleet", "Type", "UpdateSpec", "WorkerCommand",
    ]

    /// Modules that such a package sees, in lower case.
    private static let dependencies: Set = [
        "algorithms", "argumentparser", "asyncalgorithms", "asynchttpclient", "atomics", "collections", "configuration",
        "coremetrics", "counter", "crypto", "dispatch", "foundation", "glibc", "greeter", "grdb", "hummingbird",
        "instrumentation", "logging", "metrics", "nio", "numerics", "servicelifecycle", "siteaudit", "subprocess",
        "swift", "synchronization", "systempackage", "testing", "tracing", "xctest", "yams", "zeromq",
    ]
}
