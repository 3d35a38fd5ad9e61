import MobiusClient
import MobiusWire
import Orders

/// The shop through `FleetClient`.
struct ClientShop: Shop {
    let client: FleetClient
    /// How long the shop may stay away.
    let patience: Duration

    func send(_ event: Order.Event, to loop: String, key: String) async throws -> Reply {
        let id = try Self.id(loop)
        do {
            return .applied(try await client.ask(event, of: Order.self, loop: id, key: key, timeout: patience))
        } catch let error as FleetClientError where error.code == .refusedByProgram {
            return .refused(error.message)
        } catch let error as FleetClientError where error.code == .noAnswer {
            return .applied(nil)
        }
    }

    func end(of loop: String) async throws -> Saga {
        let id = try Self.id(loop)
        let model = try await client.untilModel(of: Order.self, loop: id, timeout: patience) { model in
            if case .order(let saga) = model { saga.stage.isEnd } else { false }
        }
        guard case .order(let saga) = model else { throw LoadError("\(loop) is no order.") }
        return saga
    }

    static func id(_ loop: String) throws -> LoopID {
        guard let id = LoopID(loop) else { throw LoadError("\(loop) is no name of a loop.") }
        return id
    }
}
