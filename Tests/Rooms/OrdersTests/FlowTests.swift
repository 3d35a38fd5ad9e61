import MobiusCore
import MobiusTestKit
import OrderLedgers
import Orders
import Testing

/// Whole orders in virtual time, with the routes and handlers of the real processes, and what befalls these.
@Suite struct FlowTests {
    private let parcel = Parcel(number: 1, day: "2027-01-15")

    @Test func anOrderIsDelivered() async throws {
        let shop = try ShopFleet()
        shop.place(1)
        try await shop.run(untilEndOf: 1...1)
        #expect(shop.stage(1) == .delivered(parcel))
        #expect(try await shop.complaints(1...1) == [])
        try await shop.fleet.finish()
    }

    // example: losses
    @Test func whatCannotBeDeliveredCostsNothing() async throws {
        let shop = try ShopFleet()
        shop.place(1, article: "kettle", quantity: 6)
        shop.place(2, customer: "Grace", article: "kettle", quantity: 3)
        shop.place(3, customer: "Alan", city: "Atlantis")
        try await shop.run(untilEndOf: 1...3)
        #expect(shop.stage(1) == .closed(.outOfStock))
        #expect(shop.stage(2) == .closed(.declined("The credit is exhausted.")))
        #expect(shop.stage(3) == .closed(.undeliverable("No parcels go to Atlantis.")))
        #expect(try await shop.complaints(1...3) == [])
        try await shop.fleet.finish()
    }
    // end

    @Test func customersAreAnsweredAndTheStatisticsCount() async throws {
        let shop = try ShopFleet()
        let placed = shop.place(1)
        try await shop.run(untilEndOf: 1...1)
        let tooLate = shop.cancel(1)
        try await shop.fleet.run(untilTrue: shop.fleet.refusal(of: tooLate) != nil)
        let amount = try #require(shop.saga(1)?.order.amount)
        #expect(try shop.fleet.answer(to: placed, as: Receipt.self) == Receipt(amount: amount))
        let counted = Statistics(sold: 1, revenue: [parcel.day: amount])
        try await shop.fleet.run(untilTrue: shop.statistics == counted)
        let known = Customer(orders: [.init("1", .sold(day: parcel.day, amount: amount))])
        try await shop.fleet.run(untilTrue: shop.customer() == known)
        try await shop.fleet.finish()
    }

    @Test func whatNobodySellsIsNoOrder() async throws {
        let shop = try ShopFleet()
        let placed = shop.place(1, article: "gold")
        try await shop.fleet.runUntilQuiet()
        #expect(shop.fleet.refusal(of: placed) != nil)
        #expect(shop.saga(1) == nil)
        #expect(shop.fleet.allEffects.allSatisfy { $0.pool == nil })
        try await shop.fleet.finish()
    }

    @Test(arguments: [Duration.milliseconds(500), .milliseconds(1500), .milliseconds(3500), .milliseconds(5200)])
    func aCustomerCancels(after time: Duration) async throws {
        let shop = try ShopFleet(bank: .seconds(3))
        shop.place(1)
        try await shop.fleet.run(for: time)
        shop.cancel(1)
        try await shop.run(untilEndOf: 1...1)
        #expect(shop.stage(1) == .closed(.cancelled))
        #expect(try await shop.complaints(1...1) == [])
        try await shop.fleet.finish()
    }

    @Test func aCustomerCancelsTooLate() async throws {
        let shop = try ShopFleet()
        shop.place(1)
        try await shop.fleet.run(untilTrue: shop.stage(1) == .shipping)
        shop.cancel(1)
        try await shop.run(untilEndOf: 1...1)
        #expect(shop.stage(1) == .delivered(parcel))
        #expect(try await shop.complaints(1...1) == [])
        try await shop.fleet.finish()
    }

    @Test func aPaymentThatTakesTooLongIsGivenUp() async throws {
        let shop = try ShopFleet(bank: .seconds(20), paymentLimit: .seconds(10))
        shop.place(1)
        try await shop.run(untilEndOf: 1...1)
        #expect(shop.stage(1) == .closed(.paymentTimedOut))
        #expect(try await shop.complaints(1...1) == [])
        try await shop.fleet.finish()
    }

    @Test(arguments: ["stock", "payments", "shipping"], [Duration.milliseconds(500), .milliseconds(1500)])
    func aWorkerIsKilledBeforeAndAfterItsEntry(pool: String, after time: Duration) async throws {
        let shop = try ShopFleet()
        shop.place(1)
        try await shop.fleet.run(
            untilTrue: shop.fleet.effects.contains { $0.pool == pool && $0.state == .running })
        let effect = try #require(shop.fleet.effects.first { $0.pool == pool })
        try await shop.fleet.run(for: time)
        #expect(shop.fleet.killWorker(running: effect.id))
        try await shop.run(untilEndOf: 1...1)
        #expect(shop.fleet.runs(of: effect.id).map(\.outcome) == [.lost, .finished])
        #expect(shop.stage(1) == .delivered(parcel))
        #expect(try await shop.complaints(1...1) == [])
        try await shop.fleet.finish()
    }

    @Test func aWorkerIsKilledWhileItUndoes() async throws {
        for pool in ["stock", "payments"] {
            let shop = try ShopFleet()
            shop.place(1, city: "Atlantis")
            try await shop.fleet.run(
                untilTrue: shop.fleet.effects.contains {
                    $0.pool == pool && $0.state == .running && $0.effect.isUndoing
                })
            let effect = try #require(shop.fleet.effects.first { $0.pool == pool })
            try await shop.fleet.run(for: .milliseconds(1500))
            #expect(shop.fleet.killWorker(running: effect.id))
            try await shop.run(untilEndOf: 1...1)
            #expect(shop.stage(1) == .closed(.undeliverable("No parcels go to Atlantis.")))
            #expect(try await shop.complaints(1...1) == [])
            try await shop.fleet.finish()
        }
    }

    @Test(arguments: TestFleet<Programs>.CoordinatorMoment.allCases)
    func theCoordinatorIsKilled(at moment: TestFleet<Programs>.CoordinatorMoment) async throws {
        let shop = try ShopFleet()
        try await shop.fleet.run(for: .seconds(1))
        shop.fleet.killCoordinator(at: moment)
        shop.place(1)
        shop.place(2, city: "Atlantis")
        try await shop.run(untilEndOf: 1...2)
        #expect(shop.stage(2) == .closed(.undeliverable("No parcels go to Atlantis.")))
        #expect(try await shop.complaints(1...2) == [])
        try await shop.fleet.finish()
    }

    @Test func oneCustomersPaymentsLeaveRoomForAnothers() async throws {
        let shop = try ShopFleet(bank: .seconds(10), processes: 1)
        for number in 1...5 { shop.place(number, article: "tea") }
        shop.place(6, customer: "Grace", article: "cup")
        try await shop.fleet.run(
            untilTrue: shop.fleet.runs.contains { $0.effect.isCharge && $0.id.loop == ShopFleet.loop(6).loop })
        #expect(
            shop.fleet.runs.count { $0.effect.isCharge } == 3,
            "two of the first customer's five, and the second customer's")
        try await shop.run(untilEndOf: 1...6)
        #expect(try await shop.complaints(1...6) == [])
        try await shop.fleet.finish()
    }
}

extension ErasedValue {
    /// Whether it is a payment.
    var isCharge: Bool { if case .charge = value as? Order.Effect { true } else { false } }

    /// Whether it undoes a step.
    var isUndoing: Bool {
        switch value as? Order.Effect {
        case .release, .refund, .recall: true
        default: false
        }
    }
}
