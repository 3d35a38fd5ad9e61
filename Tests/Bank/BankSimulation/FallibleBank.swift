package import Bank
package import MobiusCore
import MobiusProgram
package import MobiusWire

/// The bank, of which a build may have mistakes, on which it traps.
package enum FallibleBank: InPlaceContextLoopProgram, FindableProgram {
    package typealias Event = Bank.Event
    package typealias Effect = Bank.Effect

    /// The bank's model, which is coded as the bank codes it.
    package struct Model: Codable, Equatable, Sendable {
        package var bank: Bank.Model

        init(_ bank: Bank.Model) { self.bank = bank }

        package init(from decoder: any Decoder) throws {
            bank = try Bank.Model(from: decoder)
            reach(.decoding)
        }

        package func encode(to encoder: any Encoder) throws {
            reach(.encoding)
            try bank.encode(to: encoder)
        }

        private func reach(_ mistake: Mistakes.Place) {
            for id in bank.transfers.keys { mistake.reach(id) }
        }
    }

    package static func initiate(_ context: LoopContext) -> First<Model, Effect> {
        Contexts.current?.note(context)
        return First(model: Model(Bank.initiate().model))
    }

    /// Facts of which some change with each event, some seldom, and some come and go.
    package static func facts(_ model: Model) -> Facts {
        let bank = model.bank
        return [
            "events": bank.events, "money": bank.balances.values.reduce(0, +), "closed": bank.hasClosed,
            "open": bank.transfers.values.contains { $0.state == .asked } ? true : nil,
            "last": bank.transfers.keys.max(),
        ]
    }

    package static func update(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect> {
        Contexts.current?.note(context)
        switch event {
        case .transferRequested(let request): Mistakes.Place.begin.reach(request.id)
        case .booked(let id, _): Mistakes.Place.booked.reach(id)
        case .declined(let id, _), .unclear(let id, _): Mistakes.Place.failed.reach(id)
        case .letterEnded(let id, _): Mistakes.Place.letter.reach(id)
        case .watchFired(let id): Mistakes.Place.watch.reach(id)
        case .remittanceRequested(let remittance): Mistakes.Place.remit.reach(remittance.id, for: remittance.from)
        case .remittanceArrived(let remittance), .remittanceDelivered(let remittance):
            Mistakes.Place.arrival.reach(remittance.id, for: remittance.to)
        default: break
        }
        return Bank.update(&model.bank, event)
    }
}
