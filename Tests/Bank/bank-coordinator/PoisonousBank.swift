import Bank
import Foundation
import MobiusCoordinator
import MobiusCore

/// The bank, as a build with a mistake in it: `update` traps on the transfer that the environment variable `BANK_POISON` names.
enum PoisonousBank: InPlaceLoopProgram {
    typealias Model = Bank.Model
    typealias Event = Bank.Event
    typealias Effect = Bank.Effect

    private static let poison = ProcessInfo.processInfo.environment["BANK_POISON"]

    static func initiate() -> First<Model, Effect> { Bank.initiate() }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        if let poison, case .transferRequested(let request) = event, request.id == poison {
            fatalError("This build cannot apply transfer \(poison).")
        }
        return Bank.update(&model, event)
    }
}

/// Its payloads are coded as the environment variable `BANK_CODING` says: json or fast.
extension PoisonousBank: CodedProgram {
    static var coding: ProgramCodec<PoisonousBank> {
        ProcessInfo.processInfo.environment["BANK_CODING"] == "fast" ? .fast : .json
    }
}
