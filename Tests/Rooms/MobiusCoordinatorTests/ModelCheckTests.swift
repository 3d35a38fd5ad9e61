import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusJournalSQLite
import MobiusProgram
import MobiusWire
import Synchronization
import TestTraits
import Testing

/// Whether replaying makes the models that were kept.
@Suite(.patient)
struct ModelCheckTests {
    private let folder: TestFolder
    private var path: String { folder.file("journal") }

    init() throws {
        folder = try TestFolder()
    }

    /// Sends events in some runs, which each end with a snapshot.
    private func fill<Program: LoopProgram>(_ program: Program.Type, runs: ClosedRange<Int>) async throws
    where Program.Event == Int, Program.Effect == Int {
        for run in runs {
            let running = self.run(program)
            for event in 1...3 { try await running.coordinator.loop.send(run * 10 + event) }
            try await running.stop()
        }
    }

    private func run<Program: LoopProgram>(_ program: Program.Type) -> Running<Program>
    where Program.Event == Int, Program.Effect == Int {
        Running(path, routes: EffectRouter { _ in .to {} })
    }

    /// The second run is not pure: with and without a snapshot before it.
    @Test(arguments: [(2...2, "1 to 3"), (1...2, "4 to 6")])
    func anUpdateThatIsNotPureStopsTheCoordinator(runs: ClosedRange<Int>, events: String) async throws {
        try await fill(Impure.self, runs: runs)
        let running = run(Impure.self)
        let error = try #require(await running.failure() as? CoordinatorError)
        #expect(error.code == .impure)
        #expect(error.message.hasPrefix("Loop main: replaying its events \(events) yields a different model"))
        #expect(error.message.contains("update is not pure"))
        let verified = #expect(throws: CoordinatorError.self) { try verify(Impure.self) }
        #expect(verified?.code == .impure)
    }

    private func verify<Program: LoopProgram>(_ program: Program.Type) throws -> VerificationSummary
    where Program.Event == Int, Program.Effect == Int {
        try Coordinator<Program>.verify(
            CoordinatorSettings(name: "shop", journal: .file(path)), routes: EffectRouter { _ in .to {} },
            logger: .quiet)
    }

    @Test func aPureOneIsVerifiedAlsoWhileItRunsAndNothingChanges() async throws {
        try await fill(Pure.self, runs: 1...3)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let summary = try verify(Pure.self)
        #expect(summary.loops == 1 && summary.models == 1 && summary.events == 3 && summary.remarks == [])
        #expect(summary.description == "1 loop, 3 events replayed, the one kept model came out the same")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let running = run(Pure.self)
        try await running.coordinator.loop.loop("other").send(1)
        try await running.coordinator.loop.send(1)
        let live = try verify(Pure.self)
        #expect(live.loops == 2 && live.models == 1 && live.events == 3 + 1 + 1)
        try await running.stop()
        #expect(running.logged.elements == [])
    }

    @Test func whatAnotherBuildMadeIsToldAndKept() async throws {
        try GoldenJournal.write(
            lines: [
                "start", "event Swift.Int 1 5", "snapshot \(TypedCodec<Pure.Model>.fullName) 1 {\"values\":[50]}",
            ],
            to: path, build: "another build")
        let summary = try verify(Pure.self)
        #expect(summary.models == 0 && summary.differingModels == 1 && summary.remarks.count == 1)
        #expect(summary.description.hasPrefix("1 loop, 0 events replayed, 0 of 1 kept model came out the same\n"))
        #expect(summary.remarks.first?.contains("written by another build") == true)
        let running = run(Pure.self)
        #expect(await running.model()?.values == [50])
        let warning = try #require(running.logged.elements.first)
        #expect(warning.hasPrefix("warning replay with this build yields a different model than the snapshot"))
        #expect(warning.contains("builds=another build") && warning.contains("events=1...1"))
        try await running.coordinator.loop.send(6)
        #expect(await running.model()?.values == [50, 6])
        try await running.stop()
    }

    @Test(arguments: ["[\"a\",\"b\",\"c\"]", "[\"c\",\"b\",\"a\"]", "[\"b\",\"c\",\"a\"]"])
    func theOrderOfASetIsNoDifference(members: String) async throws {
        let event = "event Swift.String 1"
        try GoldenJournal.write(
            lines: [
                "start", "\(event) \"a\"", "\(event) \"b\"", "\(event) \"c\"",
                "snapshot \(TypedCodec<Bag.Model>.fullName) 1 {\"members\":\(members)}",
            ], to: path, build: BuildIdentity.current)
        let running = Running<Bag>(path, routes: EffectRouter { _ in .to {} })
        #expect(await running.model()?.members == ["a", "b", "c"])
        #expect(running.logged.elements == [])
        try await running.stop()
    }

    @Test func aModelThatLacksAMemberIsADifference() async throws {
        try GoldenJournal.write(
            lines: [
                "start", "event Swift.String 1 \"a\"", "event Swift.String 1 \"b\"",
                "snapshot \(TypedCodec<Bag.Model>.fullName) 1 {\"members\":[\"a\"]}",
            ], to: path, build: BuildIdentity.current)
        let running = Running<Bag>(path, routes: EffectRouter { _ in .to {} })
        #expect((await running.failure() as? CoordinatorError)?.code == .impure)
    }

    @Test func theBuildIsTheSameEachTimeAndNamesItsCode() {
        #expect(BuildIdentity.current == BuildIdentity.current)
        #expect(BuildIdentity.current.wholeMatch(of: /\d+\.\d+\.\d+\+[0-9a-f]{16,}/) != nil)
    }
}

private enum Pure: InPlaceLoopProgram {
    typealias Event = Int
    typealias Effect = Int

    struct Model: Codable, Sendable, Equatable {
        var values: [Int] = []
    }

    static func initiate() -> First<Model, Int> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Int) -> Change<Int> {
        model.values.append(event)
        return .next()
    }
}

/// From event 20 on, counts across runs.
private enum Impure: InPlaceLoopProgram {
    typealias Event = Int
    typealias Effect = Int

    struct Model: Codable, Sendable {
        var values: [Int] = []
    }

    private static let count = Mutex(0)

    static func initiate() -> First<Model, Int> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Int) -> Change<Int> {
        let number = count.withLock { count in
            count += 1
            return count
        }
        model.values.append(event < 20 ? event : number)
        return .next()
    }
}

/// A model that cannot be compared, with members in no order.
private enum Bag: InPlaceLoopProgram {
    typealias Event = String
    typealias Effect = Int

    struct Model: Codable, Sendable {
        var members: Set<String> = []
    }

    static func initiate() -> First<Model, Int> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: String) -> Change<Int> {
        model.members.insert(event)
        return .next()
    }
}
