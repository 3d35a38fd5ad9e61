import Dispatch
import Foundation
import MobiusCore
import Synchronization

/// A kind of life that loops are led through.
protocol Scene {
    var stage: Stage { get }
    /// Leads a loop from its start to its end, and checks what it has become.
    func live(_ life: Life)
    /// Lets go of what is left.
    func end()
}

extension Scene {
    func end() {}

    /// So many lives, one after the other.
    func run(_ lives: ClosedRange<Int>, seed: UInt64, patience: Int, plant: Plant) {
        let crew = Crew(seed: seed, stage: stage)
        let leader = Watchdog.Walker("leader")
        let name = "\(Self.self)"
        let watchdog = Watchdog([leader] + crew.walkers, patience: patience) { [stage] in
            "\(name), life \(stage.presentLife)"
        }
        for number in lives {
            var dice = Dice(seed: seed, number, -1)
            let most = dice.isOne(in: 6) ? 60 : 6
            let plan = (0..<Crew.senders).map { _ in dice.roll(most) }
            // A planted defect may keep a life from ever being settled.
            let isCalm = dice.isOne(in: 2) && plant == .nothing
            let life = Life(
                number: number, plan: plan, isCalm: isCalm, dice: dice, crew: crew, walker: leader, plant: plant)
            stage.begin(number)
            live(life)
        }
        end()
        crew.dismiss()
        stage.sendLate()  // nobody is left who would
        watchdog.end()
    }
}

/// One life, as it is planned.
struct Life: Sendable {
    let number: Int
    let plan: [Int]
    /// Whether it ends when all has come that is to come, and not before.
    let isCalm: Bool
    let dice: Dice
    let crew: Crew
    let walker: Watchdog.Walker
    let plant: Plant

    /// What it starts with: the crew's events are expected, and the event source's own.
    var model: StressLoop.Model {
        StressLoop.Model(life: number, expected: isCalm ? plan.reduce(1, +) : .max)
    }

    func awaitSettlement(_ stage: Stage) {
        walker.now(.waitingForSettlement)
        stage.settled.wait()
    }

    /// A short while, different each time.
    func pause(_ dice: inout Dice) {
        for _ in 0..<dice.roll(1 << dice.roll(9)) { sched_yield() }
    }

    /// Adds to the sums: how much of it came to pass.
    func note(_ model: StressLoop.Model, _ stage: Stage) {
        guard !isCalm else { return }
        stage.noteCutShort(applied: model.received, of: plan.reduce(1, +))
    }

    /// Nothing got lost in a life that nobody cut short.
    func expectComplete(_ model: StressLoop.Model) {
        Findings.expect(
            model.received == plan.reduce(1, +) && model.outstanding == 0,
            "\(model.received) events came and \(model.outstanding) answers did not, of \(plan.reduce(1, +)) events, "
                + "life \(number)")
    }
}

/// Goes up once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .relaxed) }

    func raise() {
        value.store(true, ordering: .relaxed)
    }
}
