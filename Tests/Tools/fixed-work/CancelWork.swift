import MobiusEngine
import MobiusJournal
import MobiusWire

/// One effect that cancels another of its loop, while 100,000 effects of other loops wait: it must not look at those.
enum CancelWork {
    static let rows = [
        FixedWork.Row(name: "cancel-beside-100000", unit: "cancellation") {
            var machine = CoordinatorMachine(CoordinatorConfiguration(journal: JournalID(high: 1, low: 1), epoch: 1))
            let now = Moment(nanoseconds: 0)
            let payload = Payload(kind: PayloadKind(type: "Effect"), bytes: [1, 2, 3, 4])
            let waiting = PlannedEffect(effect: payload, plan: EffectPlan(destination: .pool("pool")))
            let cancelling = PlannedEffect(effect: payload, plan: EffectPlan(destination: .cancel))
            func settle() -> [CoordinatorAction] {
                var others: [CoordinatorAction] = []
                for action in machine.handle(.flush, at: now) {
                    guard case .append(let ticket, _) = action else { continue }
                    others += machine.handle(.committed(ticket), at: now)
                }
                return others
            }
            func loop(_ name: String) -> LoopID {
                guard let loop = LoopID(name) else { preconditionFailure("It is a name.") }
                return loop
            }
            for number in 0..<1000 {
                let effects = Array(repeating: waiting, count: 100)
                _ = machine.handle(.begin(loop("other \(number)"), effects: effects), at: now)
            }
            _ = settle()
            func cancel(in loop: LoopID) {
                _ = machine.handle(.begin(loop, effects: [waiting, cancelling]), at: now)
                let victim = EffectID(loop: loop, sequence: 0, index: 0)
                for case .selectCancelled(let id, _) in settle() {
                    precondition(machine.underWay(of: id.loop).contains { $0.id == victim }, "It waits.")
                    keep(machine.handle(.cancelSelected(id, [victim]), at: now))
                }
                precondition(!machine.underWay(of: loop).contains { $0.id == victim }, "It was cancelled.")
            }
            cancel(in: loop("first"))
            let second = loop("second")
            counted { cancel(in: second) }
            return 1
        }
    ]
}
