import Dispatch
import Foundation
import MobiusCore
import Synchronization

/// The threads round a loop: senders, which dispatch events, and meddlers, which do everything else.
///
/// They are given one life after the other. What they were given they also use after its end, as real senders do.
final class Crew: Sendable {
    static let senders = 8
    static let meddlers = 2

    /// What the crew needs of a life.
    struct Life: Sendable {
        let number: Int
        /// How many events each sender sends.
        let plan: [Int]
        /// The ways into the loop.
        let outlets: [Consumer<StressLoop.Event>]
        /// Does something to the loop that is not an event.
        let meddle: @Sendable (_ dice: inout Dice, _ walker: Watchdog.Walker) -> Void
        /// Whether meddlers do it.
        let isMeddledWith: Bool
    }

    let walkers: [Watchdog.Walker]
    /// How many events of the present life each sender has sent: a promise that they are in the queue.
    private let sent = (0..<Crew.senders).map { _ in Counter() }
    private let seed: UInt64
    private let stage: Stage
    private let gates = (0..<(Crew.senders + Crew.meddlers)).map { _ in DispatchSemaphore(value: 0) }
    private let done = DispatchSemaphore(value: 0)
    // Written while the crew waits at its gates.
    nonisolated(unsafe) private var life: Life?

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    init(seed: UInt64, stage: Stage) {
        self.seed = seed
        self.stage = stage
        walkers =
            (0..<Self.senders).map { Watchdog.Walker("sender \($0)") }
            + (0..<Self.meddlers).map { Watchdog.Walker("meddler \($0)") }
        for member in gates.indices { Thread.detachNewThread { [self] in live(member) } }
    }

    /// Sends the crew into a life.
    func enter(_ new: Life) {
        for counter in sent { counter.value.store(0, ordering: .relaxed) }
        life = new
        for gate in gates { gate.signal() }
    }

    /// How many events of each sender are in the loop's queue for sure, or applied already.
    var sentSoFar: [Int] { sent.map { $0.value.load(ordering: .relaxed) } }

    /// Waits until all have done what they had to in the present life.
    func wait() {
        for _ in gates { done.wait() }
    }

    /// Lets the threads go.
    func dismiss() {
        life = nil
        for gate in gates { gate.signal() }
        wait()
    }

    private func live(_ member: Int) {
        var before: Life?
        while true {
            gates[member].wait()
            guard let life else { break }
            var dice = Dice(seed: seed, life.number, member)
            if member < Self.senders {
                send(life, member, before, &dice)
            } else if life.isMeddledWith {
                for _ in 0..<dice.roll(4) { life.meddle(&dice, walkers[member]) }
            }
            walkers[member].now(.idle)
            before = life
            done.signal()
        }
        walkers[member].now(.finished)
        done.signal()
    }

    private func send(_ life: Life, _ sender: Int, _ before: Life?, _ dice: inout Dice) {
        let walker = walkers[sender]
        for number in 0..<life.plan[sender] {
            walker.now(.dispatching)
            let outlet = life.outlets[dice.roll(life.outlets.count)]
            let ask = dice.isOne(in: 3) ? StressLoop.Ask.allCases[dice.roll(StressLoop.Ask.allCases.count)] : nil
            outlet(.sent(life: life.number, sender: sender, number: number, asks: ask))
            sent[sender].value.store(number + 1, ordering: .relaxed)
        }
        // Of the life before: nobody may hear these.
        if let before, dice.isOne(in: 4) { before.outlets.first?(.bonus(life: before.number)) }
        if dice.isOne(in: 8) { stage.sendLate() }
    }
}
