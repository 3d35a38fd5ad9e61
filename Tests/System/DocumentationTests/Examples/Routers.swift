import Dispatch
import FleetTestSupport
import MobiusCore
import Testing

// example: effects
enum MailEffect: Equatable, Sendable {
    case fetch(folder: String)
    case send(to: String, text: String)
    case suggest(String)
    case stopFetching(folder: String)
    case showBadge(Int)
    case beep
}

enum MailEvent: Equatable, Sendable {
    case fetched(folder: String, count: Int)
    case sent(to: String)
    case suggestions([String])
}
// end

/// A mail server that answers when told to.
final class MailServer: Sendable {
    let happened = Journey<String>()

    func count(in folder: String) async -> Int {
        happened.add("count \(folder)")
        do { try await Task.sleep(for: .seconds(3600)) } catch { happened.add("cancelled \(folder)") }
        return 0
    }

    func send(_ text: String, to address: String) async {
        happened.add("begin \(address)")
        await Task.yield()
        happened.add("end \(address)")
    }
}

@MainActor
final class Badge {
    var count = 0
}

@Suite("Examples: routers")
struct RouterExamples {
    let server = MailServer()

    @Test("a route for each case")
    func cases() {
        let log = Journey<String>()
        // example: cases
        let router = EffectRouter<MailEffect, MailEvent>()
            .routeCase(MailEffect.send).to { address, text in  // the payload, taken apart
                log.add("\(text) to \(address)")
            }
            .routeCase(MailEffect.beep).to {  // a case without payload
                log.add("beep")
            }
            .routeEffects(withParameters: { effect in  // any effects, by a function of yours
                if case .fetch(folder: "inbox") = effect { "inbox" } else { nil }
            }).toEvent { folder in
                .fetched(folder: folder, count: 3)
            }
        // end
        let connection = router.connect { log.add("\($0)") }
        connection.accept(.send(to: "Ada", text: "Hello"))
        connection.accept(.beep)
        connection.accept(.fetch(folder: "inbox"))
        connection.dispose()
        #expect(log.elements == ["Hello to Ada", "beep", "fetched(folder: \"inbox\", count: 3)"])
    }

    @Test("one closure for all effects")
    func exhaustive() async throws {
        let (server, log) = (server, Journey<String>())
        // example: exhaustive
        let router = EffectRouter<MailEffect, MailEvent> { effect in
            switch effect {
            case .fetch(let folder):
                .toEvent { .fetched(folder: folder, count: await server.count(in: folder)) }
            case .send(let address, let text):
                .to { await server.send(text, to: address) }
            case .suggest(let text):
                .toEvent { .suggestions(["\(text)!"]) }
            case .stopFetching(let folder):
                .cancels { $0 == .fetch(folder: folder) }
            case .showBadge, .beep:
                .nothing
            }
        }
        // end
        let connection = router.connect { log.add("\($0)") }
        connection.accept(.beep)
        connection.accept(.suggest("yes"))
        #expect(log.elements == ["suggestions([\"yes!\"])"])
        connection.accept(.fetch(folder: "inbox"))
        try await server.happened.wait { $0 == ["count inbox"] }
        connection.accept(.stopFetching(folder: "inbox"))
        try await server.happened.wait { $0.contains("cancelled inbox") }
        connection.dispose()
    }

    @Test("policies")
    func policies() async throws {
        let (server, done) = (server, Journey<String>())
        // example: policies
        let router = EffectRouter<MailEffect, MailEvent>()
            .routeCase(MailEffect.fetch).executing(.concurrently(limit: 4)).toEvent { folder in
                .fetched(folder: folder, count: await server.count(in: folder))
            }
            .routeCase(MailEffect.send).executing(.sequentially).toEvent { address, text in
                await server.send(text, to: address)
                return .sent(to: address)
            }
            .routeCase(MailEffect.suggest).executing(.cancelPrevious).toEvent { text in
                .suggestions([text, "\(text)!"])
            }
        // end
        let connection = router.connect { done.add("\($0)") }
        connection.accept(.send(to: "Ada", text: "1"))
        connection.accept(.send(to: "Grace", text: "2"))
        try await done.wait { $0.count == 2 }
        #expect(server.happened.elements == ["begin Ada", "end Ada", "begin Grace", "end Grace"])
        connection.dispose()
    }

    @Test("cancelling one effect")
    func cancels() async throws {
        let server = server
        // example: cancels
        let router = EffectRouter<MailEffect, MailEvent>()
            .routeCase(MailEffect.fetch).toEvent { folder in
                .fetched(folder: folder, count: await server.count(in: folder))
            }
            .routeCase(MailEffect.stopFetching).cancels { folder, effectUnderWay in
                effectUnderWay == .fetch(folder: folder)
            }
        // end
        let connection = router.connect { _ in Issue.record("nothing comes from a cancelled effect") }
        connection.accept(.fetch(folder: "inbox"))
        connection.accept(.fetch(folder: "sent"))
        try await server.happened.wait { $0.count == 2 }
        connection.accept(.stopFetching(folder: "inbox"))
        try await server.happened.wait { $0.contains("cancelled inbox") }
        #expect(!server.happened.elements.contains("cancelled sent"))
        connection.dispose()
    }

    @Test("the main actor, and queues")
    func places() async throws {
        let shown = Journey<Int>()
        let badge = Badge()
        // example: places
        let network = DispatchQueue(label: "network")
        let router = EffectRouter<MailEffect, MailEvent>()
            .routeCase(MailEffect.showBadge).onMainActor().to { count in
                badge.count = count  // a property of the main actor, without await
                shown.add(badge.count)
            }
            .routeCase(MailEffect.fetch).on(queue: network).toEvent { folder in
                dispatchPrecondition(condition: .onQueue(network))
                return .fetched(folder: folder, count: 3)
            }
        // end
        let events = Journey<MailEvent>()
        let connection = router.connect { events.add($0) }
        connection.accept(.showBadge(7))
        connection.accept(.fetch(folder: "inbox"))
        try await shown.wait { $0 == [7] }
        try await events.wait { $0 == [.fetched(folder: "inbox", count: 3)] }
        connection.dispose()
    }
}
