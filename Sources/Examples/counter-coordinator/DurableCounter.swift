import Counter
import CounterTerminal
import MobiusCoordinator

/// The terminal side of a counter with a journal: keys in, committed models out.
struct DurableCounter {
    private let screen: Screen
    private let count: CountView
    private let history: HistoryView

    init(on screen: Screen) {
        self.screen = screen
        count = CountView(on: screen)
        history = HistoryView(on: screen)
    }

    /// Runs until the last key, or until it is cancelled.
    ///
    /// - Throws: what ``LoopHandle/send(_:key:)`` throws.
    func run(_ loop: LoopHandle<Counter>) async throws {
        let keyboard = Keyboard()
        defer { keyboard.close() }
        screen.tellKeys("+ more, - less, q quit")
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for await model in loop.models { show(model) }
            }
            defer { tasks.cancelAll() }
            for await key in keyboard.keys where key != .pause {
                if key == .quit { break }
                if let event = Counter.Event(key) { try await loop.send(event) }
            }
        }
        // The last models may have been overtaken by the end.
        for await model in loop.models {
            show(model)
            break
        }
    }

    private func show(_ model: Counter.Model) {
        count.show(model)
        history.show(model)
    }
}
