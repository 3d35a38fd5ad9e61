import MobiusCore
import MobiusTestKit
import MobiusWire

/// The newest models of each loop, and the events after which they were made.
final class PastModels<Program: LoopProgram> {
    private let checker: ModelChecker<Program>
    private var models: [LoopID: [(sequence: UInt64, model: Program.Model)]] = [:]

    /// The number of models of each loop that it keeps.
    private static var limit: Int { 64 }

    init(_ checker: ModelChecker<Program>) {
        self.checker = checker
    }

    /// Keeps the models from now on.
    func begin() {
        checker.onModel = { [unowned self] loop, sequence, model in
            models[loop, default: []].append((sequence, model))
            if models[loop, default: []].count > Self.limit { models[loop]?.removeFirst() }
        }
    }

    /// The model of a loop after this event; `nil` if that was long ago.
    subscript(loop: LoopID, sequence: UInt64) -> Program.Model? {
        models[loop]?.last { $0.sequence == sequence }?.model
    }
}
