import MobiusCore
import MobiusTelemetry
import MobiusWire

/// The requests of an HTTP server in this process: each goes to the seat of its loop.
///
/// Requests for loops that are not run here are answered with `busy`.
struct SeatGateway<Program: LoopProgram>: LoopService {
    let access: LoopAccess
    let maximumPayload: Int
    let seats: Seats<Program>

    func caller(withToken token: String) -> LoopCaller? {
        seats.all.lazy.compactMap { $0.gateway?.caller(withToken: token) }.first
    }

    func refusal(of caller: LoopCaller, for request: ClientRequest) -> ClientRefusal? {
        gateway(for: request)?.refusal(of: caller, for: request)
    }

    func ask(_ request: ClientRequest, as caller: LoopCaller, traceparent: String) async -> ClientAnswer {
        guard let gateway = gateway(for: request) else { return .busy(retryAfter: 1000) }
        return await gateway.ask(request, as: caller, traceparent: traceparent)
    }

    /// What names no loop, such as the program's schema, is the same everywhere.
    private func gateway(for request: ClientRequest) -> LoopGateway? {
        if let loop = request.loop { return seats.seat(of: loop).gateway }
        let gateways = seats.all.compactMap(\.gateway)
        return gateways.first { $0.isRunning } ?? gateways.first
    }
}

extension ClientRequest {
    /// The loop that it is about; `nil` for what is about all.
    fileprivate var loop: LoopID? {
        switch self {
        case .send(let loop, _, _, _), .check(let loop, _, _), .release(let loop, _, _), .quarantined(let loop): loop
        case .model(let loop, _), .watch(let loop, _): loop
        case .history(let request): request.loop
        case .letter(let id), .effect(let id), .retry(let id, _), .drop(let id, _): id.loop
        case .effects(let loop, _, _, _), .letters(let loop, _, _): loop
        case .quarantine, .status, .loops, .schema: nil
        }
    }
}
