import Bank
import FleetSimulation
import Foundation
import MobiusCore
import MobiusTestKit
import MobiusWire

/// The mistakes of one build of the bank: at these places it traps on what is named after a loop.
final class Mistakes: Sendable {
    /// Where the bank may have a mistake.
    enum Place: CaseIterable {
        /// In `update`, by its event.
        case begin, booked, failed, letter, watch, remit, arrival
        /// In a route: when an effect is planned, when it makes an event, and when it looks for what it cancels.
        case plan, unclear, timer, delivery, cancels, answer
        /// In the coding of models.
        case encoding, decoding

        /// The program gets here with a transfer or a remittance.
        ///
        /// - Parameter loop: The loop for which it is called; `nil` for the one that the transfer is named after.
        func reach(_ id: String, for loop: String? = nil) {
            guard id.hasPrefix(Mistakes.mark), let running = Mistakes.running else { return }
            let (mistakes, traps) = running
            guard traps.build == mistakes.build, mistakes.places.contains(self),
                let loop = LoopID(loop ?? String(id.dropFirst(Mistakes.mark.count)))
            else { return }
            traps.trap(for: loop, at: "\(self)")
        }
    }

    /// What is named so may trap; the name of a loop follows.
    private static let mark = "trap "
    private let places: Set<Place>
    private let build: Int

    /// In a quarter of the runs with one coordinator, with what the places get to see, and the builds.
    init?(_ scenario: inout Scenario<FallibleBank>, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0x7A95)
        guard draw.percent(25) else { return nil }
        var places = Set((0..<draw.number(1...5)).map { _ in draw.pick(Place.allCases.filter { $0 != .answer }) })
        // Drawn apart, too.
        var apart = Chance(seed: seed &+ 0xA5CED)
        if apart.percent(30) { places.insert(.answer) }
        self.places = places
        build = draw.pick([1, 1, 2])
        // Later than the last fault, the build without mistakes comes with that.
        let mended = draw.milliseconds(2000...8000)
        scenario.traps = TrapPlan(
            faulty: build, deployments: build == 1 ? [mended] : [draw.milliseconds(300...1200), mended])
        scenario.faults.steps *= 4
        let loops = Set((0..<draw.number(1...2)).map { _ in draw.pick(scenario.loops) })
        for loop in scenario.loops where loops.contains(loop) {
            for place in scenario.requests.indices
            where scenario.requests[place].loop == loop && scenario.requests[place].key.hasPrefix("account") {
                scenario.requests[place].after = .zero
            }
            let id = Self.mark + loop.name
            let transfer = Bank.TransferRequest(
                id: id, route: [1, 2, 3], amount: 1, wantsLetter: true, isWatched: true)
            let remittance = Bank.Remittance(
                id: id, from: loop.name, to: draw.pick(scenario.loops).name, account: 1, amount: 1, returns: 0)
            for (key, event) in [
                ("transfer", Bank.Event.transferRequested(transfer)), ("remittance", .remittanceRequested(remittance)),
            ] {
                scenario.requests.append(
                    .init(loop: loop, key: "\(id), \(key)", event: event, after: draw.milliseconds(50...400)))
            }
        }
    }

    // MARK: The thread of a run

    /// Runs `body`, in which the program of this thread is a build with these mistakes.
    static func being<Result>(_ mistakes: Mistakes?, in traps: ProgramTraps, _ body: () -> Result) -> Result {
        Thread.current.threadDictionary[key] = mistakes.map { ($0, traps) }
        defer { Thread.current.threadDictionary[key] = nil }
        return body()
    }

    private static let key = "mistakes"

    private static var running: (Mistakes, ProgramTraps)? {
        Thread.current.threadDictionary[key] as? (Mistakes, ProgramTraps)
    }
}
