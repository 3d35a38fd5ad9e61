import MobiusCore
import MobiusTelemetry
import MobiusWire

/// The requests of an HTTP server in this process: each goes to the seat of its loop, or by the relay to the process that
/// runs it, or to all.
struct SeatGateway<Program: LoopProgram>: LoopService {
    let access: LoopAccess
    let maximumPayload: Int
    let seats: Seats<Program>
    let relay: ClusterRelay

    var knowsTokens: Bool { seats.all.contains { $0.gateway?.knowsTokens == true } }

    func caller(withToken token: String) -> LoopCaller? {
        seats.all.lazy.compactMap { $0.gateway?.caller(withToken: token) }.first
    }

    func refusal(of caller: LoopCaller, for request: ClientRequest) -> ClientRefusal? {
        gateway(for: request)?.refusal(of: caller, for: request)
    }

    func ask(_ request: ClientRequest, as caller: LoopCaller, traceparent: String) async -> ClientAnswer {
        guard let gateway = gateway(for: request) else { return .busy(retryAfter: 1000) }
        let isOurs = request.loop.map { seats.seat(of: $0).turns.isOurs } ?? (request == .schema)
        if relay.isOpen, !isOurs {
            return await pass(request, as: caller, traceparent: traceparent)
        }
        return await gateway.ask(request, as: caller, traceparent: traceparent)
    }

    /// Asks the process that runs the loop, with all rights: so the caller's are checked here, by a list that is kept up to
    /// date.
    private func pass(_ request: ClientRequest, as caller: LoopCaller, traceparent: String) async -> ClientAnswer {
        guard let judge = seats.all.compactMap(\.gateway).first(where: \.isRunning) else {
            return .busy(retryAfter: 1000)
        }
        if let refusal = judge.refusal(of: caller, for: request) { return .refused(refusal) }
        let isForPeople = !judge.mayReadUnmasked(caller)
        let answer = await relay.ask(
            request, isForPeople: isForPeople, traceparent: traceparent, sender: judge.name(of: caller))
        // One that watches waits for long, and its token may have been revoked meanwhile.
        return judge.refusal(of: caller, for: request).map { .refused($0) } ?? answer ?? .busy(retryAfter: 1000)
    }

    /// What names no loop, such as the program's schema, is the same everywhere.
    private func gateway(for request: ClientRequest) -> LoopGateway? {
        if let loop = request.loop { return seats.seat(of: loop).gateway }
        let gateways = seats.all.compactMap(\.gateway)
        return gateways.first { $0.isRunning } ?? gateways.first
    }
}
