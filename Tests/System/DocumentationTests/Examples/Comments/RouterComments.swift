import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusWorker
import Testing

/// What the documentation comments of routers show.
@Suite("Comments: routers") struct RouterComments {
    enum Effect: Codable, Equatable, Sendable {
        case greet(String)
        case move(x: Int, y: Int)
        case fetch(String)
        case log(String)
        case load(Int)
        case stopLoading(Int)
        case reload
        case stopReloading
        case watch(Int)
        case charge(Charge)
        case copy([String])
        case playSound(String)
    }

    enum Event: Codable, Equatable, Sendable {
        case greeted(String)
        case fetched(String)
        case changed(Int)
        case charged(receipt: Int)
        case copied(String)
        case soundFailed(String, String)
    }

    struct Database: Sendable {
        func changes(of id: Int) -> AsyncStream<Int> {
            AsyncStream { continuation in
                continuation.yield(id)
                continuation.finish()
            }
        }
    }

    struct Bank: Sendable {
        func charge(_ cents: Int, key: String) async throws -> Int { cents }
    }

    static func move(_ x: Int, _ y: Int) {}
    static func download(_ url: String) async -> String { url }
    static func copy(_ file: String) async throws {}

    static func cases() -> EffectRouter<Effect, Event> {
        // example: comment-cases
        EffectRouter<Effect, Event>()
            .routeCase(Effect.greet).toEvent { name in .greeted(name) }  // case greet(String)
            .routeCase(Effect.move).to { x, y in move(x, y) }  // case move(x: Int, y: Int)
        // end
    }

    static func fetching() -> EffectRouter<Effect, Event> {
        // example: comment-router
        EffectRouter<Effect, Event>()
            .routeCase(Effect.fetch).toEvent { url in .fetched(await download(url)) }
            .routeCase(Effect.log).to { line in print(line) }
        // end
    }

    static func steps() -> EffectRouter<Effect, Event> {
        let (database, bank) = (Database(), Bank())
        return EffectRouter<Effect, Event>()
            // example: comment-events
            .routeCase(Effect.watch).toEvents { id in database.changes(of: id).map { .changed($0) } }
            // end
            // example: comment-cancels
            .routeCase(Effect.stopLoading).cancels { id, effect in effect == .load(id) }
            // end
            // example: comment-cancels-case
            .routeCase(Effect.stopReloading).cancels { effect in effect == .reload }
            // end
            // example: comment-work
            .routeCase(Effect.charge).toWork { order, context in
                .charged(receipt: try await bank.charge(order.cents, key: context.idempotencyKey))
            }
            // end
            // example: comment-work-events
            .routeCase(Effect.copy).toWork { files, context, send in
                for file in files {
                    try await copy(file)
                    send(.copied(file))
                }
            }
        // end
    }

    @Test("each takes its effects")
    func routes() {
        let events = Journey<Event>()
        let connection = Self.cases().connect { events.add($0) }
        connection.accept(.greet("Ada"))
        connection.accept(.move(x: 1, y: 2))
        #expect(events.elements == [.greeted("Ada")])
        connection.dispose()
    }

    struct Response {
        let status: Int
    }

    private func check(_ response: Response) throws {
        // example: comment-failures
        guard response.status != 503 else { throw EffectFailed("the shop is closed", after: .seconds(60)) }
        guard response.status != 404 else { throw EffectFailed("no such order", retryable: false) }
        // end
    }

    private func pool(
        _ update: @escaping @Sendable (Int, Event) -> Next<Int, Effect>, _ model: Int
    ) throws -> MobiusLoop<Int, Event, Effect> {
        // example: comment-pool
        let routes = EffectRouter<Effect, Event>()
            .routeCase(Effect.playSound).toWorkers("sound") { sound, failure in .soundFailed(sound, "\(failure)") }
            .routeCase(Effect.log).to { line in print(line) }
        let pool = try WorkerPool(routes, bind: "tcp://127.0.0.1:5701")
        let loop = Mobius.loop(update: update, effectHandler: pool).start(from: model)
        // end
        return loop
    }
}

/// An exhaustive router.
enum NotesComments {
    enum Effect {
        case save(String)
        case log(String)
        case beep
    }

    enum Event { case saved(String) }

    static func store(_ document: String) -> String { document }

    static func router() -> EffectRouter<Effect, Event> {
        // example: comment-exhaustive
        EffectRouter<Effect, Event> { effect in
            switch effect {
            case .save(let document): .toEvent { .saved(store(document)) }
            case .log(let line): .to { print(line) }
            case .beep: .nothing
            }
        }
        // end
    }
}
