import MobiusCoordinator
import MobiusCore
import Testing

enum SaleEffect: Codable, Equatable, Sendable {
    case charge(order: Int)
    case print(order: Int)
    case index(ShopPage)
    case remind(order: Int)
    case forget(order: Int)
    case tidy
    case stopTidying
    case report(order: Int)
    case close
    case tellAtEnd(order: Int)
    case endReminders(order: Int)
}

struct ShopPage: Codable, Equatable {
    let shop: String
    let number: Int
}

enum SaleEvent: Codable, Equatable, Sendable {
    case charged(order: Int)
    case chargeFailed(order: Int, String)
    case chargeUnknown(order: Int)
    case printed(order: Int)
    case printFailed(order: Int)
    case indexed(page: Int)
    case indexFailed(page: Int)
    case reminded(order: Int)
    case tidied
    case saleEnded(order: Int)
    case reportFailed(order: Int)
}

enum ShopRoutes {
    typealias Routes = EffectRouter<SaleEffect, SaleEvent>

    static let simple = Routes()
        // example: simple
        .routeCase(SaleEffect.charge).toWorkers("payments", timeout: .seconds(30), attempts: 3) { order, failure in
            .chargeFailed(order: order, failure.description)
        }
    // end

    static let delivery = Routes()
        // example: delivery
        .routeCase(SaleEffect.charge).toWorkers("payments", policy: EffectPolicy(delivery: .atMostOnce)) {
            order, failure in
            switch failure {
            case .outcomeUnknown: .chargeUnknown(order: order)  // a person has to look
            default: .chargeFailed(order: order, failure.description)
            }
        }
    // end

    // example: timeouts
    static let timeouts = EffectTimeouts(
        scheduleToStart: .seconds(600),  // no worker for ten minutes: give up
        startToClose: .seconds(120),  // one attempt
        scheduleToClose: .seconds(3600),  // all attempts and pauses
        progress: .seconds(15))  // a handler that says nothing for so long hangs
    // end

    // example: retry
    static let retry = RetryPolicy(
        attempts: 8, initial: .milliseconds(500), factor: 3, maximum: .seconds(300), jitter: 0.5, onTimeout: true)
    // end

    // example: priority
    static let urgent = EffectPolicy(priority: 10)
    static let whenever = EffectPolicy(priority: -1)
    // end

    // example: limit
    static let bank = EffectLimit("bank", concurrency: 4, rate: .init(100, per: .seconds(60)))
    static let limited = EffectPolicy(limit: bank)
    // end

    // example: cluster
    static let api = EffectLimit("api", concurrency: 4, rate: .init(100, per: .seconds(60)), scope: .cluster)
    // end

    static let keys = Routes()
        // example: keys
        .routeCase(SaleEffect.index).toWorkers(
            "indexers",
            policy: EffectPolicy(
                limit: EffectLimit("index", concurrency: 100),  // of all shops together
                limitPerKey: EffectLimit("index", concurrency: 4, rate: .init(60, per: .seconds(60)))),  // of each shop
            key: { page in page.shop }
        ) { page, _ in
            .indexFailed(page: page.number)
        }
    // end

    static let affinity = Routes()
        // example: affinity
        .routeCase(SaleEffect.index).toWorkers("indexers", policy: EffectPolicy(), affinity: { page in page.shop }) {
            page, _ in
            .indexFailed(page: page.number)
        }
    // end

    static let timers = Routes()
        // example: timers
        .routeCase(SaleEffect.remind).toTimer(.after(.seconds(3 * 86_400))) { order in .reminded(order: order) }
        .routeCase(SaleEffect.forget).cancels { order, underWay in underWay == .remind(order: order) }
    // end

    static let calendar = Routes()
        // example: cron
        .routeCase(SaleEffect.tidy).toTimer(.cron(nightly)) { .tidied }
        .routeCase(SaleEffect.stopTidying).cancels { underWay in underWay == .tidy }
    // end

    static let loops = Routes()
        // example: loops
        .routeCase(SaleEffect.report).toLoop { order in
            (loop: "customer/\(order)", event: .saleEnded(order: order))
        } onFailure: { order, _ in
            .reportFailed(order: order)
        }
    // end

    static let ends = Routes()
        // example: ends
        .routeCase(SaleEffect.close).endsLoop()
    // end

    static let left = Routes()
        // example: left
        .routeCase(SaleEffect.tellAtEnd).toLoopAtEnd { order in
            (loop: "customer/\(order)", event: .saleEnded(order: order))
        }
        .routeCase(SaleEffect.endReminders).endsLoopAtEnd { order in "reminders/\(order)" }
    // end

    static let nightly: CronSchedule = {
        guard let nightly = CronSchedule("30 3 * * mon-fri") else { preconditionFailure("This is no crontab line.") }
        return nightly
    }()

    static let letters = Routes()
        // example: letters
        .routeCase(SaleEffect.print).toWorkers(
            "printers", policy: EffectPolicy(retry: .never, keepsDeadLetters: false)
        ) { order, _ in
            .printFailed(order: order)
        }
    // end
}

@Suite("Examples: policies of effects")
struct EffectPolicyExamples {
    @Test("half past three on weekdays, in UTC")
    func nightly() {
        // A Friday, 2026-11-20, at noon.
        let friday = WallTime(milliseconds: 1_795_176_000_000)
        let monday = WallTime(milliseconds: 1_795_404_600_000)
        #expect(ShopRoutes.nightly.next(after: friday) == monday)
    }

    @Test("what a policy says, and what it leaves as it is")
    func defaults() {
        #expect(ShopRoutes.limited.delivery == .atLeastOnce)
        #expect(ShopRoutes.limited.timeouts.startToClose == .seconds(60))
        #expect(ShopRoutes.limited.retry.attempts == 5)
        #expect(ShopRoutes.limited.keepsDeadLetters)
        #expect(ShopRoutes.urgent.priority > ShopRoutes.whenever.priority)
        #expect(ShopRoutes.retry.onTimeout && !ShopRoutes.limited.retry.onTimeout)
        #expect(ShopRoutes.bank.rate?.count == 100)
        #expect(ShopRoutes.timeouts.scheduleToStart == .seconds(600))
    }
}
