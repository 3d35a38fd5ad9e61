import Foundation
import MobiusCoordinator
import MobiusCore

/// What this build does otherwise than others; empty for nothing.
private let planted = ProcessInfo.processInfo.environment["PLANTED"] ?? ""

/// An account, such as `account/7`, of which each build may do one thing in another way.
enum Account: LoopProgram {
    struct Model: Codable, Sendable {
        var balance = 0
        var notes: [String] = []
        var cities: [String: Int] = [:]
        var stage = "open"
        var limit: Int?
    }

    /// A text that some builds cannot read.
    struct Note: Codable, Sendable {
        var text: String

        init(_ text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            if planted == "unreadable", text == "b" {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "too short"))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    enum Event: Codable, Sendable {
        case paid(Int)
        case spent(Int, city: String)
        case noted(Note)
        case closed
    }

    enum Effect: Codable, Sendable {
        case mail(String)
        case bill(Int)
        case archive
        case count([String: Int])
    }

    static func initiate() -> First<Model, Effect> {
        var model = Model()
        if planted == "start" { model.balance = 1 }
        if planted == "field" { model.limit = 500 }
        return First(model: model, effects: planted == "start effect" ? [.mail("welcome")] : [])
    }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        let effects: [Effect] =
            switch event {
            case .paid(let amount): pay(amount, &model)
            case .spent(let amount, let city): spend(amount, city, &model)
            case .noted(let note): add(note.text, &model)
            case .closed: close(&model)
            }
        return .next(model, effects: effects)
    }

    private static func pay(_ amount: Int, _ model: inout Model) -> [Effect] {
        model.balance += planted == "rounding" ? amount / 3 * 3 : amount
        if planted == "bonus", !model.notes.isEmpty { model.balance += 1 }
        if planted == "no mail" { return [] }
        return [.mail(planted == "other mail" ? "thanks" : "paid \(amount)")]
    }

    private static func spend(_ amount: Int, _ city: String, _ model: inout Model) -> [Effect] {
        model.balance -= amount
        model.cities[planted == "city" ? city.lowercased() : city, default: 0] += amount
        guard model.balance < 0 else { return [] }
        if planted == "trap" { fatalError("overdrawn") }
        if planted == "fee" { model.balance -= 1 }
        if planted == "forget city" { model.cities["Oslo"] = nil }
        if planted == "no bill" { return [.mail("overdrawn")] }
        let bill = Effect.bill(planted == "bill" ? 1 - model.balance : -model.balance)
        return planted == "order" ? [.mail("overdrawn"), bill] : [bill, .mail("overdrawn")]
    }

    private static func add(_ note: String, _ model: inout Model) -> [Effect] {
        if planted == "sorted", note == "b" { model.notes.insert(note, at: 0) } else { model.notes.append(note) }
        if planted == "note twice", note == "b" { model.notes.append(note) }
        return []
    }

    private static func close(_ model: inout Model) -> [Effect] {
        model.stage = planted == "stage" ? "ended" : "closed"
        let effects: [Effect] =
            switch planted {
            case "no archive": []
            case "two archives": [.archive, .archive]
            case "new effect": [.archive, .mail("bye")]
            default: [.archive]
            }
        return effects + [.count(model.cities)]
    }
}

extension Account: FleetProgram {
    static let kind: LoopKind = "account"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.mail).toWorkers("post", timeout: .seconds(60)) { _, _ in .closed }
        .routeCase(Effect.bill).toWorkers("post", timeout: .seconds(60)) { _, _ in .closed }
        .routeCase(Effect.count).toWorkers("post", timeout: .seconds(60)) { _, _ in .closed }
        .routeCase(Effect.archive).toWorkers("post", timeout: .seconds(60)) { _, _ in .closed }
}

@main struct PlantedCoordinator: CoordinatorCommand {
    var programs: Programs { Account.self }

    /// Writes what happens to some accounts, and ends.
    func run(_ loop: LoopHandle<Programs>) async throws {
        let events: [Account.Event] = [
            .paid(100), .spent(30, city: "Oslo"), .noted(.init("a")), .spent(80, city: "Bonn"), .noted(.init("b")),
            .paid(50), .closed,
        ]
        for number in 1...12 {
            for event in events { try await loop.loops(Account.self)["\(number)"].send(event) }
        }
    }
}
