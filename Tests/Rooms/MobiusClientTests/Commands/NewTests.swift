import FleetTestSupport
import Foundation
import MobiusProcess
import TestTraits
import Testing

/// What `Deploy/new` writes; `Tests/run start` builds and runs it.
@Suite(.patient)
struct NewTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: folder.file(path), encoding: .utf8)
    }

    private func new(_ arguments: String...) async throws -> Command {
        let process = try TestProcess(FileManager.default.currentDirectoryPath + "/Deploy/new", arguments)
        let end = try await process.end()
        return Command(end: end, output: process.output.elements, errors: process.errors.elements)
    }

    @Test func itWritesAPackage() async throws {
        let written = try await new(folder.file("invoice-pipeline"))
        #expect(written.end == .exited(0))
        #expect(written.output.contains { $0.hasPrefix("Wrote 11 files.") })
        #expect(written.output.contains { $0.contains("mobius up invoice-pipeline.yaml") })

        // Built in a clone, it takes that clone.
        let manifest = try text("invoice-pipeline/Package.swift")
        #expect(
            manifest.contains(".package(name: \"mobius-fleet\", path: \"\(FileManager.default.currentDirectoryPath)\")")
        )
        #expect(manifest.contains("name: \"invoice-pipeline-coordinator\""))
        #expect(try text("invoice-pipeline/.gitignore").contains("*.journal*\n"))
        let program = try text("invoice-pipeline/Sources/InvoicePipeline/InvoicePipeline.swift")
        #expect(program.contains("public enum InvoicePipeline: LoopProgram {"))
        #expect(program.contains("public init("))
        let tests = try text("invoice-pipeline/Tests/InvoicePipelineTests/FleetTests.swift")
        #expect(tests.contains("@testable import invoice_pipeline_worker"))

        let files = try #require(FileManager.default.enumerator(atPath: folder.file("invoice-pipeline")))
        for case let path as String in files where URL(fileURLWithPath: path).pathExtension != "" {
            let text = try text("invoice-pipeline/\(path)")
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(path)")
            #expect(text.range(of: "sample.?app", options: [.regularExpression, .caseInsensitive]) == nil, "\(path)")
        }
    }

    @Test func itsTopologyIsAccepted() async throws {
        #expect(try await new(folder.file("invoices")).end == .exited(0))
        // What `swift build` makes: they must be there, and are not started.
        let built = folder.file("invoices/.build/debug")
        try FileManager.default.createDirectory(atPath: built, withIntermediateDirectories: true)
        for name in ["invoices-coordinator", "invoices-worker"] {
            try #require(
                FileManager.default.createFile(
                    atPath: "\(built)/\(name)", contents: nil, attributes: [.posixPermissions: 0o755]))
        }
        let plan = try await Command.mobius("up", folder.file("invoices/invoices.yaml"), "--dry-run")
        #expect(plan.end == .exited(0))
        #expect(plan.output.contains { $0.contains("/invoices/.build/debug/invoices-coordinator") })
    }

    @Test func theREADMEShowsWhatItWrites() async throws {
        let written = try await new(
            folder.file("invoices"), "--package", "https://example.org/mobius-fleet")
        #expect(written.end == .exited(0))
        let shown = try String(contentsOfFile: "Tests/Packages/Start/Shown/Package.swift", encoding: .utf8)
        #expect(try text("invoices/Package.swift") == shown)
    }

    @Test func aRepositoryIsNamedByItsURL() async throws {
        let written = try await new(
            folder.file("invoices"), "--package", "https://example.org/our/fleet.git")
        #expect(written.end == .exited(0))
        let manifest = try text("invoices/Package.swift")
        #expect(
            manifest.contains(".package(url: \"https://example.org/our/fleet.git\", from: \"\(FleetVersion.current)\")")
        )
        #expect(manifest.contains(".product(name: product, package: \"fleet\")"))
    }

    @Test(arguments: [
        "Invoices", "2nd", "a--b", "-a", "a-", "ä", "a_b", "a b", "a.b", String(repeating: "a", count: 51),
    ])
    func otherNamesAreRefused(_ name: String) async throws {
        let refused = try await new(folder.file(name))
        #expect(refused.end == .exited(64))
        #expect(refused.errors.joined().contains("'\(name)' cannot name a package: use at most 50 lower-case letters"))
        #expect(!FileManager.default.fileExists(atPath: folder.file(name)))
    }

    @Test(arguments: ["next", "self", "foundation", "mobius-core", "loop-program", "argument-parser", "site-audit"])
    func namesThatClashAreRefused(_ name: String) async throws {
        let refused = try await new(folder.file(name))
        #expect(refused.end == .exited(64))
        #expect(
            refused.errors.joined().contains(
                "would clash with another of that name. Choose another name, such as my-\(name)."))
    }

    @Test func whatExistsIsLeftAlone() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("invoices"), withIntermediateDirectories: true)
        let refused = try await new(folder.file("invoices"))
        #expect(refused.end == .exited(73))
        #expect(refused.errors.joined().contains("exists. Choose another name, or remove it."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("invoices")) == [])
    }

    @Test func aPlaceWithoutMobiusFleetIsRefused() async throws {
        let refused = try await new(folder.file("invoices"), "--package", folder.path)
        #expect(refused.end == .exited(64))
        #expect(refused.errors.joined().contains("which is not a folder with Mobius Fleet's Package.swift"))
    }
}
