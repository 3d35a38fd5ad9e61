import Testing

/// Each rule, shown to fail on a small bad text and to accept a good one.
@Suite("Each rule can fail")
struct CheckerTests {
    private func source(_ text: String, at path: String = "Sources/MobiusEngine/Example.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    // MARK: Import walls

    @Test("an import outside the row is refused, with file and line")
    func foreignImport() {
        let problems = ImportWalls.problems(in: source("// Wire\nimport MobiusWire\npublic import Foundation\n"))
        #expect(problems.map(\.place) == ["Sources/MobiusEngine/Example.swift:3"])
        #expect(problems.listed.contains("MobiusEngine may not import Foundation"))
    }

    @Test(
        "every spelling of an import is seen",
        arguments: [
            "import struct Foundation.Date", "@preconcurrency import Foundation", "package import Foundation.NSDate",
        ])
    func spellings(text: String) {
        #expect(ImportWalls.problems(in: source(text)).count == 1)
    }

    @Test("text that only looks like an import is none")
    func noImport() {
        let text = "// import Foundation\nlet a = \"import Foundation\"\nlet b = \"\"\"\n  import Dispatch\n  \"\"\"\n"
        #expect(ImportWalls.problems(in: source(text)).isEmpty)
    }

    @Test("the C library needs its #if canImport")
    func platformImport() {
        let path = "Sources/MobiusTransport/Errno.swift"
        #expect(ImportWalls.problems(in: source("import Glibc", at: path)).count == 1)
        let choice = "#if canImport(Glibc)\nimport Glibc\n#else\nimport Darwin\n#endif"
        #expect(ImportWalls.problems(in: source(choice, at: path)).isEmpty)
    }

    @Test("a new room fails until it has a row")
    func newRoom() {
        #expect(
            ImportWalls.problems(inRooms: ["Sources/MobiusWire", "Workers/mailer"]).map(\.place) == ["Workers/mailer"])
        #expect(ImportWalls.problems(in: source("", at: "Deploy/agent/main.swift")).count == 1)
    }

    // MARK: Purity

    @Test(
        "the engine names no clock, chance or output",
        arguments: [
            "let clock = ContinuousClock()", "let t = Date()", "f(at: .now)", "var g = SystemRandomNumberGenerator()",
            "FileHandle.standardError", "print(1)", "Int.random(in: 0...1)", "let id = UUID()",
        ])
    func impure(text: String) {
        #expect(Purity.problems(in: source(text)).count == 1)
        #expect(Purity.problems(in: source(text, at: "Sources/MobiusWorker/Run.swift")).isEmpty)
    }

    @Test("words inside other words, comments and strings are innocent")
    func pure() {
        let text = "let update = candidate(now)  // Date(), .now\nlet footprint = \"print(\" + printed(1)\n"
        #expect(Purity.problems(in: source(text)).isEmpty)
    }

    // MARK: Programs

    @Test("a program imports MobiusProgram for its routes only")
    func routes() {
        let text = "import MobiusCore\nimport MobiusProgram\n"
        let problems = Programs.problems(in: source(text, at: "Sources/Examples/Counter/Counter.swift"))
        #expect(problems.map(\.place) == ["Sources/Examples/Counter/Counter.swift:2"])
        #expect(Programs.problems(in: source(text, at: "Sources/Examples/Counter/Counter+Routes.swift")).isEmpty)
        #expect(Programs.problems(in: source(text, at: "Sources/MobiusRuntime/Work.swift")).isEmpty)
    }

    @Test("the driver reaches a program through its guarded calls only")
    func unguarded() {
        let text = "// TypedLoop\nlet loop = TypedLoop<Program>()\nlet first = Program.initiate()\n"
        let path = "Sources/MobiusDriver/Loops/Loop.swift"
        let problems = Programs.unguardedCalls(in: source(text, at: path))
        #expect(problems.map(\.place) == ["\(path):2", "\(path):3"])
        let home = "Sources/MobiusDriver/Quarantine/ProgramCalls.swift"
        #expect(Programs.unguardedCalls(in: source(text, at: home)).isEmpty)
    }

    // MARK: Package.swift

    private let goodManifest = """
        let package = Package(targets: [.target(name: "A")])
        for target in package.targets where target.type != .system {
            target.swiftSettings = (target.swiftSettings ?? []) + [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]
        }
        """

    @Test("a misspelt feature and one that is long on are refused")
    func features() {
        #expect(Manifest.problems(in: source(goodManifest, at: "Package.swift")).listed == "")
        let misspelt = goodManifest.replacing("\"ExistentialAny\"", with: "\"ExistentialAnny\"")
        #expect(
            Manifest.problems(in: source(misspelt, at: "Package.swift")).map(\.place) == [
                "Package.swift:5", "Package.swift:2",
            ])
        let stale = goodManifest + "\nlet s = SwiftSetting.enableUpcomingFeature(\"StrictConcurrency\")"
        #expect(Manifest.problems(in: source(stale, at: "Package.swift")).map(\.place) == ["Package.swift:11"])
        let experiment = goodManifest + "\nlet s = SwiftSetting.enableExperimentalFeature(\"Lifetime\")"
        #expect(Manifest.problems(in: source(experiment, at: "Package.swift")).count == 1)
    }

    @Test("a target that the settings loop leaves out is noticed")
    func settingsLoop() {
        let picky = goodManifest.replacing("!= .system {", with: "!= .system && target.name != \"B\" {")
        #expect(Manifest.problems(in: source(picky, at: "Package.swift")).count == 1)
        let lax = goodManifest.replacing(".treatAllWarnings(as: .error),", with: "")
        #expect(Manifest.problems(in: source(lax, at: "Package.swift")).listed.contains("treatAllWarnings"))
    }

    // MARK: Documentation

    @Test(
        "each kind of public declaration needs a word",
        arguments: [
            "public struct A {}", "public enum A {}", "public final class A {}", "public actor A {}",
            "public protocol A {}",
            "public typealias A = Int", "public func a() {}", "public let a = 1", "open class A {}",
            "/// A.\npublic struct A { public init() {} }", "/// A.\npublic enum A { case a }",
            "/// A.\npublic enum A { indirect case a(A) }", "/// A.\npublic protocol P { func a() }",
            "/// A.\npublic protocol P { associatedtype T }", "/// A.\npublic protocol P { var a: Int { get } }",
            "extension A { public subscript(a: Int) -> Int { a } }", "public extension A { func a() {} }",
            "struct A { public private(set) var a = 1 }",
            "@available(macOS 15, *) @inlinable public static func a() {}",
            "// Not documentation.\npublic func a() {}", "/// Of b.\nlet b = 1\npublic func a() {}",
            "#if os(Linux)\npublic func a() {}\n#endif", "let s = \"\\(f(\"}\"))\"\npublic func a() {}",
            "struct A<let n: Int> { public var a: Int { n } }", "public nonisolated(nonsending) func a() async {}",
        ])
    func undocumented(text: String) {
        #expect(PublicSymbols.problems(in: source(text)).count == 1, "\(text)")
    }

    @Test(
        "documented, private and inner declarations are left in peace",
        arguments: [
            "/// A.\npublic struct A { var b = 1; private func c() {} }", "/** A. */ public func a() {}",
            "/// A.\n@MainActor\n// why\npublic func a() {}", "func a() { struct B { let c = 1 } }",
            "public import Foundation", "/// A.\npublic extension A { private func b() {}\n/// C.\nfunc c() {} }",
            "class A: B { override public func a() {} }", "let a = #\"public func b()\"#",
            "package protocol A { func b() }",
            "/// A.\npublic enum A {\n/// B.\ncase b\nvar c: Int { switch self { case .b: 1 } } }",
            "let r = /\"/\n/// A.\npublic func a() {}", "/// A.\npublic let a: [B] = [.init(1)], f = { (x: Int) in x }",
        ])
    func documented(text: String) {
        #expect(PublicSymbols.problems(in: source(text)).listed == "", "\(text)")
    }

    @Test("lines are counted through strings and comments")
    func lines() {
        let text = "/* one\n/* two */\n*/\nlet a = \"\"\"\n  {\n  \"\"\"\npublic func b() {}\n"
        #expect(PublicSymbols.problems(in: source(text)).map(\.place) == ["Sources/MobiusEngine/Example.swift:7"])
    }

    // MARK: Habits

    @Test("401 lines are too many, 400 are not")
    func length() {
        #expect(Habits.longFiles(in: source(String(repeating: "\n", count: 401))).count == 1)
        #expect(Habits.longFiles(in: source(String(repeating: "\n", count: 400))).isEmpty)
    }

    @Test("notes about unfinished work are refused, in comments only")
    func notes() {
        let problems = Habits.unfinishedWork(in: source("let a = \"TODO\"\n/* fine\n FIXME: later */\n// TODO\n"))
        #expect(problems.map(\.place).map { $0.suffix(2) } == [":3", ":4"])
    }

    @Test("a test that sleeps or looks inside is refused")
    func dishonestTests() {
        for text in [
            "Thread.sleep(forTimeInterval: 1)", "usleep(10)", "sleep(1)", "try await Task.sleep(for: .seconds(1))",
        ] {
            #expect(Habits.sleeps(in: source(text)).count == 1, "\(text)")
        }
        #expect(Habits.sleeps(in: source("sleep(1)", at: "Tests/ATests/Support/Eventually.swift")).isEmpty)
        #expect(Habits.sleeps(in: source("try? await Task.sleep(for: .seconds(600))")).isEmpty)
        #expect(Habits.sleeps(in: source("try? await Task.sleep(for: .seconds(60))")).count == 1)
        #expect(Habits.sleeps(in: source("try await clock.sleep(for: .seconds(1))")).isEmpty)
        #expect(Habits.sleeps(in: source("try await ContinuousClock().sleep(for: .seconds(1))")).count == 1)
        #expect(Habits.sleeps(in: source("let sleeper = \"sleep(1)\"; asleep(1)")).isEmpty)
        #expect(Habits.testableImports(in: source("@testable import MobiusWire")).count == 1)
    }

    @Test("a limit of a test's own is refused")
    func ownLimits() {
        #expect(Habits.ownLimits(in: source("@Suite(.timeLimit(.minutes(2))) struct A {}")).count == 1)
        #expect(Habits.ownLimits(in: source("@Suite(.patient) struct A { let timeLimit = 2 }")).isEmpty)
    }

    @Test("a source of libdispatch that watches a descriptor is refused, one for signals or time is not")
    func descriptorSources() {
        let text = "let a = DispatchSource.makeReadSource(fileDescriptor: 0)\nb.makeWriteSource(fileDescriptor: 1)"
        #expect(Habits.descriptorSources(in: source(text)).map(\.place).map { $0.suffix(2) } == [":1", ":2"])
        #expect(Habits.descriptorSources(in: source("DispatchSource.makeSignalSource(signal: 2)")).isEmpty)
    }

    @Test(
        "a wait that ends by the calendar is refused",
        arguments: [
            "_ = condition.wait(until: end)", "_ = lock.wait(until: Date(timeIntervalSince1970: 0))",
            "let end = Date(timeIntervalSinceNow: 5)", "_ = semaphore.wait(timeout: .now() + 1)",
            "_ = group.wait(wallTimeout: .distantFuture)",
        ])
    func calendarWaits(text: String) {
        #expect(Habits.calendarWaits(in: source(text)).count == 1)
        #expect(
            Habits.calendarWaits(in: source("_ = condition.wait(for: .seconds(1)); poller.wait(timeout: nil)")).isEmpty)
    }

    @Test("a stray name at the top level is refused")
    func strayName() {
        let entries = [
            ".git", ".build", ".build-bench", "Sources", "Package.swift", "site-audit.journal", "notes.md", "docs",
        ]
        #expect(TopLevel.problems(in: entries).map(\.place) == ["notes.md", "docs"])
        #expect(TopLevel.problems(inTests: ["run", "Rooms", "misc"]).map(\.place) == ["Tests/misc"])
    }
}
