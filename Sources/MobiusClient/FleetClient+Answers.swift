public import MobiusCore
import MobiusProgram
public import MobiusWire

// What a sender waits for: the program's answer to its event, or a model that follows from it.
extension FleetClient {
    /// Sends an event, and returns the program's answer to it.
    ///
    /// The answer is the one that a `.toSender` route of the program gave when the event was applied. It is the same
    /// whenever the call is repeated with the same key, also after restarts of the coordinator.
    ///
    /// - Parameters:
    ///   - event: The event, in the program's coding.
    ///   - program: The loop's program.
    ///   - loop: The loop.
    ///   - key: Makes the call safe to repeat, as for ``send(_:type:loop:key:begins:timeout:)``.
    ///   - begins: Whether a loop that does not exist begins with this event.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    ///   - answer: The answer's type; another one than the program's may read the same JSON.
    /// - Throws: ``FleetClientError`` as `send` does: with `refusedByProgram` when the program refused the event, with
    ///   `noAnswer` when it gave no answer, with `unreadable` when it gave another one; `CancellationError`.
    public func ask<Program: LoopProgram, Answer: Codable & Sendable>(
        _ event: Program.Event, of program: Program.Type, loop: LoopID = .main, key: String? = nil, begins: Bool = true,
        timeout: Duration? = nil, for answer: Answer.Type = Answer.self
    ) async throws -> Answer {
        let payload = try programs.payload(event, of: program)
        return try await ask(payload, loop: loop, key: key, begins: begins, timeout: timeout, for: answer)
    }

    /// Sends an encoded event, and returns the program's answer to it; otherwise as for a value.
    public func ask<Answer: Codable & Sendable>(
        _ event: Payload, loop: LoopID = .main, key: String? = nil, begins: Bool = true, timeout: Duration? = nil,
        for answer: Answer.Type = Answer.self
    ) async throws -> Answer {
        let sent = try await send(event, loop: loop, key: key, begins: begins, timeout: timeout)
        let found: Answer?
        do {
            found = try sent.answer(as: answer)
        } catch {
            throw FleetClientError(
                .unreadable, "The answer to the event, which is on disk, cannot be read: \(error).")
        }
        guard let found else {
            let reason =
                sent.outcome == .dropped
                ? "An operator dropped the event with this key, so nothing answers it."
                : "The event is on disk, but the program gave no answer to it: send it with `send`, or route an answer "
                    + "with .toSender."
            throw FleetClientError(.noAnswer, reason)
        }
        return found
    }

    /// Waits until the loop's model meets a condition, and returns the first such model that it gets.
    ///
    /// It begins with the current model, which contains the events that were confirmed before the call, and goes on over
    /// restarts and losses of the coordinator. Models that follow each other fast may be skipped, never the last: the
    /// condition should be one that stays true, such as `count >= 3`.
    ///
    /// - Parameters:
    ///   - program: The loop's program.
    ///   - loop: The loop, which must exist.
    ///   - timeout: The time to wait for such a model; `nil` for as long as it takes.
    ///   - condition: The condition, which is tested in the caller's task.
    /// - Throws: ``FleetClientError``: `timedOut` when no model met the condition in time, `closed` when the client was
    ///   closed, otherwise as ``model(of:loop:at:timeout:)``; `CancellationError`; what the condition throws.
    public func untilModel<Program: LoopProgram>(
        of program: Program.Type, loop: LoopID = .main, timeout: Duration? = nil,
        where condition: @Sendable @escaping (Program.Model) throws -> Bool
    ) async throws -> Program.Model {
        try await first(of: models(of: program, loop: loop), timeout, "loop \(loop)", condition)
    }

    /// Waits until the loop's model, in bytes, meets a condition; otherwise as for a program.
    public func untilModel(
        of loop: LoopID, timeout: Duration? = nil, where condition: @Sendable @escaping (LoopModel) throws -> Bool
    ) async throws -> LoopModel {
        try await first(of: models(of: loop), timeout, "loop \(loop)", condition)
    }

    private func first<Element: Sendable>(
        of models: FleetModels<Element>, _ timeout: Duration?, _ name: String,
        _ condition: @Sendable @escaping (Element) throws -> Bool
    ) async throws -> Element {
        let search = { @Sendable in
            for try await model in models where try condition(model) { return model }
            try Task.checkCancellation()
            throw FleetClientError(.closed, "The client of \(self.endpoint) was closed.")
        }
        guard let timeout else { return try await search() }
        return try await withThrowingTaskGroup(of: Element.self) { group in
            group.addTask { try await search() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw FleetClientError(
                    .timedOut, "No model of \(name) at \(self.endpoint) met the condition within \(timeout).")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
