public import MobiusCore
public import MobiusProgram
import MobiusWire

// Loops of several programs in one coordinator, by their addresses.
extension FleetClient {
    /// Sends an event to the loop of an address; an event of another program does not compile.
    ///
    /// For the rest see ``send(_:type:loop:key:begins:timeout:)``.
    ///
    /// - Throws: ``FleetClientError``, with code `invalidEvent` for an address that names no loop; `CancellationError`.
    @discardableResult
    public func send<Program: FleetProgram>(
        _ event: Program.Event, to address: Address<Program>, key: String? = nil, begins: Bool = true,
        timeout: Duration? = nil
    ) async throws -> SentEvent {
        try await send(
            event, of: Program.self, loop: loop(of: address), key: key, begins: begins, timeout: timeout)
    }

    /// Sends an event to the loop of an address, and returns the program's answer to it.
    ///
    /// For the rest see ``ask(_:of:loop:key:begins:timeout:for:)``.
    ///
    /// - Throws: ``FleetClientError``, with code `invalidEvent` for an address that names no loop; `CancellationError`.
    public func ask<Program: FleetProgram, Answer: Codable & Sendable>(
        _ event: Program.Event, of address: Address<Program>, key: String? = nil, begins: Bool = true,
        timeout: Duration? = nil, for answer: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await ask(
            event, of: Program.self, loop: loop(of: address), key: key, begins: begins, timeout: timeout, for: answer)
    }

    /// The current model of the loop of an address, or the one after an event: see ``model(of:loop:at:timeout:)``.
    ///
    /// - Throws: ``FleetClientError``, with code `invalidEvent` for an address that names no loop; `CancellationError`.
    public func model<Program: FleetProgram>(
        of address: Address<Program>, at event: UInt64? = nil, timeout: Duration? = nil
    ) async throws -> Program.Model {
        try await model(of: Program.self, loop: loop(of: address), at: event, timeout: timeout)
    }

    /// The models of the loop of an address from now on: see ``models(of:loop:)``.
    ///
    /// - Throws: ``FleetClientError`` with code `invalidEvent` for an address that names no loop.
    public func models<Program: FleetProgram>(
        of address: Address<Program>
    ) throws(FleetClientError) -> FleetModels<Program.Model> {
        models(of: Program.self, loop: try loop(of: address))
    }

    /// Waits until the model of the loop of an address meets a condition: see ``untilModel(of:loop:timeout:where:)``.
    ///
    /// - Throws: ``FleetClientError``, with code `invalidEvent` for an address that names no loop; `CancellationError`.
    public func untilModel<Program: FleetProgram>(
        of address: Address<Program>, timeout: Duration? = nil,
        where condition: @Sendable @escaping (Program.Model) throws -> Bool
    ) async throws -> Program.Model {
        try await untilModel(of: Program.self, loop: loop(of: address), timeout: timeout, where: condition)
    }

    /// Ends the loop of an address for good: see ``end(_:why:timeout:)-(LoopID,_,_)``.
    ///
    /// - Throws: ``FleetClientError``, with code `invalidEvent` for an address that names no loop; `CancellationError`.
    @discardableResult
    public func end<Program: FleetProgram>(
        _ address: Address<Program>, why: String, timeout: Duration? = nil
    ) async throws -> Outcome {
        try await end(loop(of: address), why: why, timeout: timeout)
    }

    private func loop<Program: FleetProgram>(of address: Address<Program>) throws(FleetClientError) -> LoopID {
        guard let loop = address.loop else {
            throw FleetClientError(
                .invalidEvent,
                "The name of a loop has \(LoopID.maximumLength) bytes at most: \"\(address.name.prefix(40))…\" has not."
            )
        }
        return loop
    }
}
