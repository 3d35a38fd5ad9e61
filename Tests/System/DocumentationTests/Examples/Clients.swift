import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import TestTraits
import Testing

// example: program
enum Reception: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var guests: [String] = []
        var unannounced: [String] = []
    }

    enum Event: Codable, Sendable {
        case arrived(String)
        case announcementFailed(String)
    }

    enum Effect: Codable, Sendable {
        case announce(String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .arrived(let guest):
            model.guests.append(guest)
            return .next(model, effects: [.announce(guest)])
        case .announcementFailed(let guest):
            model.unannounced.append(guest)
            return .next(model)
        }
    }
}
// end

// example: make
/// Makes the client of a process; close it at the end with `await client.close()`.
func makeClient(_ environment: [String: String]) -> FleetClient {
    FleetClient(connect: environment["MOBIUS_CONNECT_CLIENT"] ?? FleetClient.defaultEndpoint)
}
// end

// example: send
/// The door of a web server: it hands visits on to the loop.
struct Door: Sendable {
    let client: FleetClient

    /// Returns when the visit is applied and on disk, and throws what the visitor is to be told.
    func enter(_ guest: String, visit: Int) async throws {
        do {
            // The visit's own number is the key: who comes again after an error is let in once.
            try await client.send(Reception.Event.arrived(guest), key: "visit-\(visit)")
        } catch let error as FleetClientError where [.unreachable, .timedOut, .busy].contains(error.code) {
            throw TryAgain(after: .seconds(5))
        }
    }
}

struct TryAgain: Error {
    let after: Duration
}
// end

// example: read
/// Waits until a guest has arrived, and returns who came before.
func guests(before guest: String, _ client: FleetClient) async throws -> [String] {
    for try await model in client.models(of: Reception.self) where model.guests.contains(guest) {
        return Array(model.guests.prefix { $0 != guest })
    }
    return try await client.model(of: Reception.self).guests  // the client was closed
}
// end

// example: letters
/// Tries all dead letters of a pool again, and returns how many there were.
func retryLetters(of pool: String, _ client: FleetClient) async throws -> Int {
    var (count, last) = (0, EffectID?.none)
    while true {
        let page = try await client.deadLetters(after: last)
        for letter in page.elements where letter.pool == pool {
            // With its round, a letter that another operator was faster with is not requeued twice.
            if try await client.retryDeadLetter(letter.id, round: letter.round) == .done { count += 1 }
        }
        guard page.more, let next = page.elements.last?.id else { return count }
        last = next
    }
}
// end

// example: status
/// What somebody should look at, in sentences.
func worries(_ status: FleetStatus) -> [String] {
    var worries: [String] = []
    for loop in status.loops where loop.isHeld {
        worries.append("The loop \(loop.loop) is held, and \(loop.pending) of its effects wait.")
    }
    for pool in status.pools where pool.workers == 0 && pool.waiting > 0 {
        worries.append("\(pool.waiting) effects wait for the pool \(pool.pool), which no worker serves.")
    }
    if status.letters > 0 { worries.append("There are dead letters: \(status.letters).") }
    return worries
}
// end

@Suite("Examples: clients", .patient)
struct ClientExamples {
    @Test func aDoorALookAndARetry() async throws {
        let folder = try TestFolder()
        let client = makeClient(["MOBIUS_CONNECT_CLIENT": "ipc://\(folder.file("clients"))"])
        let door = Door(client: FleetClient(connect: client.endpoint, timeout: .milliseconds(200)))
        await #expect(throws: TryAgain.self) { try await door.enter("Ada", visit: 1) }

        var settings = CoordinatorSettings(
            name: "reception", bind: "tcp://127.0.0.1:*", journal: .file(folder.file("journal")))
        settings.clientBind = client.endpoint
        // Time enough to see the retried one wait before it dies again.
        let policy = EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .seconds(6)))
        let coordinator = Coordinator<Reception>(
            settings,
            routes: EffectRouter().routeCase(Reception.Effect.announce).toWorkers("heralds", policy: policy) {
                guest, _ in
                .announcementFailed(guest)
            })
        let running = Task { try await coordinator.run() }
        for _ in 1...2 { try await Door(client: client).enter("Ada", visit: 1) }
        for await model in coordinator.loop.models where model.unannounced == ["Ada"] {
            #expect(model.guests == ["Ada"])
            break
        }
        #expect(worries(try await client.status()) == ["There are dead letters: 1."])
        #expect(try await retryLetters(of: "heralds", client) == 1)
        #expect(
            worries(try await client.status()) == ["1 effects wait for the pool heralds, which no worker serves."])
        #expect(try await retryLetters(of: "heralds", client) == 0)
        try await client.send(.arrived("Grace"), of: Reception.self)
        #expect(try await guests(before: "Grace", client) == ["Ada"])
        #expect(try await client.model(of: Reception.self).guests == ["Ada", "Grace"])
        coordinator.stop()
        try await running.value
        await client.close()
    }
}
