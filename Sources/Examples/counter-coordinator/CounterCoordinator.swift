import ArgumentParser
import Counter
import CounterTerminal
import MobiusCoordinator
import MobiusCore

/// The third stage: the same program, its model in a journal that survives the process.
@main struct CounterCoordinator: CoordinatorCommand {
    typealias Program = Counter

    static let abstract = """
        Counts up and down at the terminal and forgets no key; sound-player processes play its sounds. \
        Keys, in lines: + more, - less, q quit; the end of the input quits, too.
        """

    static let hasTerminalView = true

    var routes: Routes { Counter.routes }

    func run(_ loop: LoopHandle<Counter>) async throws {
        try await DurableCounter(on: Screen()).run(loop)
    }
}
