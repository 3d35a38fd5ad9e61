import FleetTestSupport
import MobiusCore
import OrderLedgers
import Orders
import TestTraits
import Testing

/// The deeds of the workers: each happens once, and one that was undone before it came never happens.
@Suite(.patient) struct LedgerTests {
    private let parcel = Parcel(number: 1, day: "2027-01-15")

    // MARK: - Forward steps that were undone before they came

    @Test func aReservationThatWasReleasedBeforeItCameTakesNothing() async throws {
        let shop = try LedgerShop()
        #expect(try await shop.perform(.release, sequence: 3) == .released)
        #expect(try await shop.perform(.reserve, sequence: 1) == .outOfStock)
        #expect(try await shop.stock.balances() == ["tea": 5])
        #expect(try await shop.stock.entries().map(\.deed) == [.released, .refused])
        // Another order is not concerned.
        #expect(try await shop.perform(.reserve, in: 2, sequence: 1) == .reserved)
        #expect(try await shop.stock.balances() == ["tea": 3])
    }

    @Test func aPaymentThatWasRefundedBeforeItCameCostsNothing() async throws {
        let shop = try LedgerShop()
        #expect(try await shop.perform(.refund, sequence: 3) == .refunded)
        #expect(try await shop.perform(.charge, sequence: 2) == .declined("The order was given up."))
        #expect(try await shop.payments.balances() == ["Ada": 0])
        #expect(try await shop.payments.entries().map(\.deed) == [.refunded, .refused])
        #expect(try await shop.perform(.charge, in: 2, sequence: 2) == .charged)
        #expect(try await shop.payments.balances() == ["Ada": 900])
    }

    @Test func aParcelThatWasRecalledBeforeItCameDoesNotLeave() async throws {
        let shop = try LedgerShop()
        #expect(try await shop.perform(.recall, sequence: 5) == .recalled)
        #expect(try await shop.perform(.ship, sequence: 4) == .undeliverable("The order was given up."))
        #expect(try await shop.shipping.entries().map(\.deed) == [.recalled, .refused])
        #expect(try await shop.perform(.ship, in: 2, sequence: 4) == .shipped(Parcel(number: 3, day: parcel.day)))
    }

    @Test func aParcelThatHasLeftIsNotRecalled() async throws {
        let shop = try LedgerShop()
        #expect(try await shop.perform(.ship, sequence: 4) == .shipped(parcel))
        #expect(try await shop.perform(.recall, sequence: 5) == .shipped(parcel))
        #expect(try await shop.shipping.entries().map(\.deed) == [.shipped, .refused])
    }

    // MARK: - Repetition

    @Test(arguments: Step.allCases) func aStepUnderOneKeyIsTakenOnceAndAnsweredAlike(_ step: Step) async throws {
        let shop = try LedgerShop()
        let before: [Step] =
            switch step {
            case .release: [.reserve]
            case .refund: [.charge]
            case .reserve, .charge, .ship, .recall: []
            }
        for (number, step) in before.enumerated() { try await shop.perform(step, sequence: UInt64(number + 1)) }
        let answer = try await shop.perform(step, sequence: 7)
        let (stock, payments) = (try await shop.stock.balances(), try await shop.payments.balances())
        for _ in 1...3 { #expect(try await shop.perform(step, sequence: 7) == answer) }
        #expect(try await shop.stock.balances() == stock)
        #expect(try await shop.payments.balances() == payments)
        #expect(try await shop.entryCount == before.count + 1)
    }

    @Test func aRefusalIsRepeatedAlthoughThereAreGoodsAgain() async throws {
        let shop = try LedgerShop()
        #expect(try await shop.perform(.reserve, LedgerShop.order(quantity: 5), sequence: 1) == .reserved)
        #expect(try await shop.perform(.reserve, in: 2, sequence: 1) == .outOfStock)
        #expect(try await shop.perform(.release, LedgerShop.order(quantity: 5), sequence: 2) == .released)
        #expect(try await shop.perform(.reserve, in: 2, sequence: 1) == .outOfStock)
        #expect(try await shop.stock.balances() == ["tea": 5])
    }

    @Test func aCompensationUnderASecondKeyPutsNothingBackTwice() async throws {
        let shop = try LedgerShop()
        for (step, undo) in [(Step.reserve, Step.release), (.charge, .refund)] {
            try await shop.perform(step, sequence: 1)
            try await shop.perform(undo, sequence: 2)
            try await shop.perform(undo, sequence: 3)
        }
        #expect(try await shop.stock.balances() == ["tea": 5])
        #expect(try await shop.payments.balances() == ["Ada": 0])
    }

    @Test func manyAtOnceUnderOneKeyAreOne() async throws {
        let shop = try LedgerShop()
        let answers = try await withThrowingTaskGroup { group in
            for _ in 1...20 { group.addTask { try await shop.perform(.reserve, sequence: 1) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: Order.Event.reserved, count: 20))
        #expect(try await shop.stock.balances() == ["tea": 3])
    }

    // MARK: - Ledgers in memory and on disk

    @Test func aLedgerInMemoryIsOfItsOwn() async throws {
        let (one, other) = (try LedgerShop(), try LedgerShop())
        try await one.perform(.reserve, sequence: 1)
        #expect(try await one.stock.entries().count == 1)
        #expect(try await other.stock.entries().isEmpty)
        #expect(try await other.stock.balances() == ["tea": 5])
    }

    @Test func aLedgerOnDiskKnowsWhatItsLastProcessDid() async throws {
        let folder = try TestFolder()
        try await LedgerShop(folder).perform(.reserve, sequence: 1)
        let again = try LedgerShop(folder)
        #expect(try await again.perform(.reserve, sequence: 1) == .reserved)
        // What it began with stays as it is.
        #expect(try await again.stock.balances() == ["tea": 3])
        #expect(try await again.stock.entries().count == 1)
    }
}
