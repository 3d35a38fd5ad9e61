import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

/// A tour, such as the loop `tour/alps`, which sells vouchers until it is called off.
enum Tour: LoopProgram {
    struct Model: Codable, Sendable, Equatable { var sold = 0 }

    enum Event: Codable, Sendable, Equatable { case sold(voucher: String), used(voucher: String), calledOff }

    enum Effect: Codable, Sendable, Equatable { case issue(String), refundAtEnd(String), keep(String), end }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .sold(let voucher):
            .next(Model(sold: model.sold + 1), effects: [.issue(voucher), .refundAtEnd(voucher)])
        case .used(let voucher): .dispatchEffects([.keep(voucher)])
        case .calledOff: .dispatchEffects([.end])
        }
    }
}

// example: routes
extension Tour: FleetProgram {
    static let kind: LoopKind = "tour"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.issue).toLoop { voucher in (Address<Voucher>(voucher), .issued) }
        .routeCase(Effect.refundAtEnd).toLoopAtEnd { voucher in (Address<Voucher>(voucher), .tourEnded) }
        .routeCase(Effect.keep).cancels { voucher, underWay in underWay == .refundAtEnd(voucher) }
        .routeCase(Effect.end).endsLoop()
}
// end

/// A voucher of a tour, such as the loop `voucher/7`.
enum Voucher: LoopProgram {
    enum Model: String, Codable, Sendable { case new, valid, refunded }
    enum Event: Codable, Sendable, Equatable { case issued, tourEnded }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: .new) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .issued: .next(.valid)
        case .tourEnded: .next(.refunded)
        }
    }
}

extension Voucher: FleetProgram {
    static let kind: LoopKind = "voucher"
}

@Suite("Cookbook: children", .patient)
struct ChildrenRecipe {
    @Test func vouchersThatWereNotUsedAreRefunded() async throws {
        let fleet = TestFleet(
            programs: Programs {
                Tour.self
                Voucher.self
            })
        let alps = Address<Tour>("alps")
        for event in [Tour.Event.sold(voucher: "1"), .sold(voucher: "2"), .used(voucher: "1")] {
            fleet.send(event, to: alps)
        }
        try await fleet.runUntilQuiet()
        fleet.send(.calledOff, to: alps)
        fleet.killCoordinator()
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: Address<Voucher>("1")) == .valid)
        #expect(fleet.model(of: Address<Voucher>("2")) == .refunded)
        try await fleet.finish()
    }
}
