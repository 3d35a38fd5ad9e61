import Foundation
import MobiusCoordinator
import MobiusCore

/// A program with an event whose `init(from:)` traps, or with `SEALED=hang` never returns: all samples are wrong for it.
enum Sealed: InPlaceLoopProgram {
    struct Model: Codable, Sendable { var total = 0 }

    enum Event: Codable, Sendable {
        case add(Int)
        case seal(Seal)
    }

    enum Effect: Codable, Sendable { case nothing }

    struct Seal: Codable, Sendable {
        let number: Int

        init(from decoder: any Decoder) throws {
            if ProcessInfo.processInfo.environment["SEALED"] == "hang" { DispatchSemaphore(value: 0).wait() }
            number = try decoder.singleValueContainer().decode(Int.self)
            precondition(number == 4711, "not the number of this seal")
        }
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        if case .add(let number) = event { model.total += number }
        return .next()
    }
}

@main struct SealedCoordinator: CoordinatorCommand {
    typealias Program = Sealed

    // The process that reads the schema gets no arguments.
    @Argument(help: "A word without which it does not start.")
    var word: String

    var routes: Routes { Routes { _ in .toWorkers("nobody") { _ in .add(0) } } }
}
