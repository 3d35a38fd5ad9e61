import MobiusCore
import MobiusTestKit
import OrderLedgers
import Orders
import TestTraits
import Testing

/// A hundred shops to which everything happens that can: the ledgers agree at the end of each.
@Suite(.ownThread) struct FaultTests {
    @Test(arguments: 1...100)
    func theLedgersAgree(seed: UInt64) async throws {
        let shop = try ShopFleet(seed: seed, faults: .all)
        try await TestFleet.check(seeds: seed...seed) { _ in
            shop.fleet
        } run: { fleet in
            for number in 1...8 {
                shop.place(
                    number, customer: ["Ada", "Grace", "Alan"][number % 3], article: number % 4 == 0 ? "cup" : "tea",
                    quantity: 1 + number % 2, city: number % 5 == 0 ? "Atlantis" : "Bergen")
                try await fleet.run(for: .milliseconds(300))
                // Some are being reserved then, some paid, some shipped.
                if number % 2 == 0 { shop.cancel(number / 2) }
            }
            try await shop.run(untilEndOf: 1...8)
            try #require(try await shop.complaints(1...8) == [])
        }
    }
}
