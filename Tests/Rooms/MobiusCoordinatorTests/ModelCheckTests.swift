import FleetTestSupport
import Foundation
import MobiusClient
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

    private func run<Program: LoopProgram>(_ program: Program.Type, clients: String? = nil) -> Running<Program>
    where Program.Event == Int, Program.Effect == Int {
        Running(path, routes: EffectRouter { _ in .to {} }, clients: clients)
    }

    /// The second run is not pure: with and without a snapshot before it.
    @Test(arguments: [(2...2, "1 to 3"), (1...2, "4 to 6")])
    func anUpdateThatIsNotPureHoldsItsLoopAndNotTheFleet(runs: ClosedRange<Int>, events: String) async throws {
        try await fill(Impure.self, runs: runs)
        let verified = try #require(#expect(throws: CoordinatorError.self) { try verify(Impure.self) })
        #expect(verified.code == .impure)
        #expect(verified.message.hasPrefix("Loop main: replaying its events \(events) yields a different model"))
        #expect(verified.message.contains("update is not pure"))
        let client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
        let running = run(Impure.self, clients: client.endpoint)
        let held = try await client.quarantine().elements
        #expect(held.map(\.loop) == [.main] && held.map(\.crashes) == [0])
        #expect(held.map(\.sequence) == [UInt64(runs.count * 3 + 1)])
        #expect(held.first?.source.contains("update is not pure") == true)
        let log = try #require(running.logged.elements.first)
        #expect(log.hasPrefix("error loop held: update is not pure") && log.contains("release main"), "\(log)")
        // Others go on, and begin.
        let other = try #require(LoopID("other"))
        try await running.coordinator.loop.loop(other).send(1)
        let drop = await #expect(throws: FleetClientError.self) { try await client.release(.main, drop: true) }
        #expect(drop?.message.contains("update is not pure") == true)
        // An operator may have it go on from its snapshot.
        #expect(try await client.release(.main) == .done)
        try await running.coordinator.loop.send(1)
        #expect(await running.model()?.values.count == runs.count * 3 + 1)
        await client.close()
        try await running.stop()
    }

    @Test func twoReplaysThatDifferShowItWhereNoModelOfThisBuildIsKept() async throws {
        let model = TypedCodec<Impure.Model>.fullName
        let events = ["start", "event Swift.Int 1 20", "event Swift.Int 1 21"]
        // The tail of a journal without a snapshot, then a snapshot that another build wrote.
        for lines in [events, events + ["snapshot \(model) 1 {\"values\":[1,2]}"]] {
            try? FileManager.default.removeItem(atPath: path)
            try GoldenJournal.write(lines: lines, to: path, build: "another build")
            let error = try #require(#expect(throws: CoordinatorError.self) { try verify(Impure.self) })
            #expect(error.code == .impure)
            #expect(error.message.contains("two replays of its events"), "\(error.message)")
        }
        // A start compares where it replays twice for the check of the snapshot: the loop is held.
        let running = run(Impure.self)
        try await running.coordinator.loop.loop("other").send(1)
        #expect(running.logged.elements.first?.contains("loop held: update is not pure") == true)
        try await running.stop()
    }

    @Test func ofManyLoopsFiveAreNamedAndTheOthersCounted() {
        var summary = VerificationSummary()
        summary.remarks = (1...203).map { "Loop \($0): its model could not be checked." }
        #expect(summary.description.split(separator: "\n").count == 7)
        #expect(summary.description.hasSuffix("… and 198 more remarks."))
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
        let error = await #expect(throws: CoordinatorError.self) { try await running.coordinator.loop.send("c") }
        #expect(error?.code == .held)
        #expect(running.logged.elements.first?.hasPrefix("error loop held: update is not pure") == true)
        try await running.stop()
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
