import Foundation
import GRDB
import MobiusCoordinator
import MobiusCore
import MobiusWorker
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum OrderEffect: Codable, Equatable, Sendable {
    case book(Charge)
    case charge(Charge)
    case convert(video: String)
    case pack(items: [String])
    case ship(order: Int)
}

enum OrderEvent: Codable, Equatable, Sendable {
    case booked(order: Int, receipt: Int)
    case charged(order: Int)
    case refused(order: Int)
    case converted(video: String)
    case converting(video: String, part: Int)
    case packed(items: Int)
    case shipped(order: Int)
    case failed(String)
    case maybeShipped(order: Int)
}

struct Charge: Codable, Equatable {
    let order: Int
    let cents: Int
}

func convert(_ part: Int, of video: String) async throws {
    await Task.yield()
}

func pack(_ item: String) {}

private struct SeveralPools {
    // example: pools
    func configure(_ settings: inout WorkerSettings) { settings.pools.append("refunds") }
    // end
}

// example: bookings
struct Bookings: Sendable {
    let database: DatabaseQueue

    init(_ database: DatabaseQueue) throws {
        self.database = database
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS booking (
                        receipt INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, orderNumber INTEGER, cents INTEGER)
                    """)
        }
    }

    /// Books once for each key, and answers with the same receipt every time.
    func book(_ order: Int, cents: Int, key: String) async throws -> Int {
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO booking (key, orderNumber, cents) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
                arguments: [key, order, cents])
            return try Int.fetchOne(db, sql: "SELECT receipt FROM booking WHERE key = ?", arguments: [key]) ?? 0
        }
    }
}
// end

// example: bank
struct Bank: Sendable {
    let url: URL

    func charge(_ charge: Charge, _ context: EffectContext) async throws -> OrderEvent {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("shop-\(context.idempotencyKey)", forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = try JSONEncoder().encode(charge)
        if let deadline = context.deadline {
            // No longer than the coordinator waits, and a second less, so that it hears why.
            let left = ContinuousClock.now.duration(to: deadline) - .seconds(1)
            request.timeoutInterval = TimeInterval(max(left, .seconds(1)).components.seconds)
        }
        let (_, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        switch status {
        case 200...299: return .charged(order: charge.order)
        case 402: return .refused(order: charge.order)  // an answer, and no failure
        case 429, 503: throw EffectFailed("the bank is busy", after: .seconds(30))
        case 500...599: throw EffectFailed("the bank has a problem: \(status)")
        default: throw EffectFailed("the bank does not take this: \(status)", retryable: false)
        }
    }
}
// end

struct OrderWorker {
    let bookings: Bookings
    let bank: Bank

    // example: work
    var handler: EffectRouter<OrderEffect, OrderEvent> {
        EffectRouter()
            .routeCase(OrderEffect.book).toWork { charge, context in
                let receipt = try await bookings.book(
                    charge.order, cents: charge.cents, key: context.idempotencyKey)
                return .booked(order: charge.order, receipt: receipt)
            }
            .routeCase(OrderEffect.charge).toWork { charge, context in try await bank.charge(charge, context) }
    }
    // end
}

enum OrderRoutes {
    static let progress = EffectRouter<OrderEffect, OrderEvent>()
        // example: progress
        .routeCase(OrderEffect.convert).toWork { video, context, send in
            for part in 1...100 {
                try context.checkCancellation()
                try await convert(part, of: video)
                context.progress()
            }
            send(.converted(video: video))
        }
    // end

    static let current = EffectRouter<OrderEffect, OrderEvent>()
        // example: current
        .routeCase(OrderEffect.pack).toEvent { items in
            let context = EffectContext.current
            for item in items {
                if context?.isCancelled == true { return nil }
                pack(item)
                context?.progress()
            }
            return .packed(items: items.count)
        }
    // end

    static let patient = EffectRouter<OrderEffect, OrderEvent>()
        // example: patient
        .routeCase(OrderEffect.convert).toWorkers(
            "videos",
            policy: EffectPolicy(
                timeouts: EffectTimeouts(startToClose: .seconds(7200), progress: .seconds(30)),
                retry: RetryPolicy(attempts: 3, onTimeout: true))
        ) { video, failure in
            .failed("\(video) could not be converted: \(failure)")
        }
    // end

    static let once = EffectRouter<OrderEffect, OrderEvent>()
        // example: once
        .routeCase(OrderEffect.ship).toWorkers("shipping", policy: EffectPolicy(delivery: .atMostOnce)) {
            order, failure in
            switch failure {
            case .outcomeUnknown: .maybeShipped(order: order)  // somebody has to look
            default: .failed("order \(order) was not shipped: \(failure)")
            }
        }
    // end
}

@Suite("Examples: handlers of workers")
struct WorkExamples {
    // example: test
    @Test("books once, however often it is asked")
    func booksOnce() async throws {
        let bookings = try Bookings(try DatabaseQueue())
        let context = EffectContext(id: EffectID(loop: .main, sequence: 7, index: 0))
        let first = try await bookings.book(12, cents: 950, key: context.idempotencyKey)
        let second = try await bookings.book(12, cents: 950, key: context.idempotencyKey)
        #expect(first == second)
    }
    // end

    @Test("books every effect")
    func booksAll() async throws {
        let bookings = try Bookings(try DatabaseQueue())
        let receipts = try await [1, 2].asyncMap { try await bookings.book(12, cents: 950, key: "main/\($0)/0") }
        #expect(receipts == [1, 2])
    }

    @Test("an unreachable bank is a failure that may pass")
    func unreachable() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/charges"))
        let context = EffectContext(
            id: EffectID(loop: .main, sequence: 7, index: 0), deadline: .now + .seconds(30))
        await #expect(throws: URLError.self) {
            _ = try await Bank(url: url).charge(Charge(order: 12, cents: 950), context)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
