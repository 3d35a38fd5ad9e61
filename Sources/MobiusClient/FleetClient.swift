public import Logging
public import MobiusTransport
public import MobiusWire
import Synchronization

/// A client of a running coordinator: it sends events, and inspects and repairs failures.
///
/// ```swift
/// let client = FleetClient(connect: "tcp://127.0.0.1:5702")
/// try await client.send(Greeter.Event.guestArrived("Ada"), key: "visit-4711")
/// await client.close()
/// ```
/// It connects automatically, when the coordinator starts, and again after any loss. It repeats unanswered requests,
/// also to the coordinator's next run. That is safe for every request, because each names the exact state that it
/// changes. A client may be used from any number of tasks at a time: 256 requests are pending at once, the others wait
/// in order. It has its own thread until ``close()``.
///
/// **What survives a crash.** An answered ``send(_:loop:key:begins:timeout:)`` survives every crash. After any error,
/// and after a crash of the sender itself, it is not known whether the event was applied: send it again under the
/// **same key**, and it is applied exactly once over all repetitions, restarts and processes.
public final class FleetClient: Sendable {
    /// The default endpoint for a coordinator's clients.
    public static let defaultEndpoint = "tcp://127.0.0.1:5702"

    /// The coordinator's endpoint for clients, or those of several coordinators, separated by commas.
    public let endpoint: String
    /// The default time-out of requests.
    public let timeout: Duration
    /// The largest event in bytes; the coordinator has its own limit.
    public let maximumPayload: Int
    /// Whether people see what it reads, so that programs mask what they must not see.
    public let isForPeople: Bool

    let programs = ProgramCodings()
    let lanes: ClientLanes

    /// Makes a client, which begins to connect at once.
    ///
    /// - Parameters:
    ///   - endpoint: The coordinator's endpoint **for clients**: by default the port after the one for workers. Where
    ///     coordinators on several hosts share a journal, the `--client-bind` endpoint of each, separated by commas: the client
    ///     finds the one that runs the loops, and the next one after a take-over.
    ///   - key: The key that authenticates it and identifies the coordinator; needed for a coordinator on another host.
    ///   - timeout: The time that a request waits, including connecting and repetitions: 10 s.
    ///   - maximumPayload: The largest event in bytes: 4 MiB, the coordinators' default; at most 256 MiB. Raise it
    ///     together with the coordinator's limit and the time-out. A coordinator refuses an event above its own limit,
    ///     and closes the connection for a much larger one.
    ///   - isForPeople: Whether people see what it reads: then a program that is a `RedactingProgram` masks models, events and
    ///     effects in its answers. Keys without the right `unmasked` get them masked in any case.
    ///   - logger: Gets a warning when requests wait and no coordinator is reached for five seconds, and then ever more
    ///     rarely. The default has the label `client`.
    public convenience init(
        connect endpoint: String = FleetClient.defaultEndpoint, key: PeerKey? = nil,
        timeout: Duration = .seconds(10), maximumPayload: Int = Int(PayloadLimit.standard),
        isForPeople: Bool = false, logger: Logger = Logger(label: "client")
    ) {
        self.init(
            connect: endpoint, key: key, timeout: timeout, maximumPayload: maximumPayload, isForPeople: isForPeople,
            window: ClientMachine.window, logger: logger)
    }

    /// Makes a client with so many pending requests at once.
    package init(
        connect endpoint: String, key: PeerKey?, timeout: Duration, maximumPayload: Int, isForPeople: Bool,
        window: Int, logger: Logger
    ) {
        self.endpoint = endpoint
        self.timeout = timeout
        self.isForPeople = isForPeople
        self.maximumPayload = min(maximumPayload, Int(PayloadLimit.range.upperBound))
        lanes = ClientLanes(endpoint, key: key, window: window, logger: logger)
    }

    deinit {
        lanes.close()
    }

    /// Ends all requests with ``FleetClientError/Code/closed``, and returns when the client's thread has ended.
    ///
    /// Later requests fail in the same way. A released client is closed automatically.
    public func close() async {
        lanes.close()
        await lanes.finished()
    }

    /// For whom a request is made.
    struct Caller: Sendable {
        /// The bearer token of somebody else, whose rights decide; empty for the client's own requests.
        var token = ""
        let isForPeople: Bool
    }

    /// Sends a request, waits for the answer and returns it with the number of attempts.
    ///
    /// One about all loops goes to all shards, and their answers become one.
    ///
    /// - Parameter caller: For whom; `nil` for the client's own user.
    func ask(
        _ request: ClientRequest, as caller: Caller? = nil, traceparent: String = "", timeout: Duration?
    ) async throws -> (answer: ClientAnswer, asked: Int) {
        let caller = caller ?? Caller(isForPeople: isForPeople)
        let limit = timeout ?? self.timeout
        let deadline = ContinuousClock.now + limit
        if request.loop == nil, lanes.shards > 1 { return try await askAll(request, as: caller, by: deadline, limit) }
        let outcome = try await outcome(of: request, as: caller, traceparent, by: deadline)
        switch outcome {
        case .answered(let answer, let asked): return (answer, asked)
        case .elsewhere: return try await askAll(request, as: caller, by: deadline, limit)
        default: throw error(for: outcome, of: request, after: limit)
        }
    }

    private func outcome(
        of request: ClientRequest, as caller: Caller, _ traceparent: String = "",
        by deadline: ContinuousClock.Instant, shard: Int? = nil, of shards: Int = 1
    ) async throws -> ClientMachine.Outcome {
        try Task.checkCancellation()
        let numbered = NumberedRequest(
            number: lanes.nextNumber(), request: request, traceparent: traceparent, isForPeople: caller.isForPeople,
            shards: UInt32(clamping: shards), token: caller.token)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                lanes.post(
                    ClientCall(
                        request: numbered, deadline: deadline, isRouted: shard != nil, reply: .caller(continuation)),
                    to: shard)
                // A cancellation before this point came too early to find the call.
                if Task.isCancelled { lanes.cancel(numbered.number) }
            }
        } onCancel: {
            lanes.cancel(numbered.number)
        }
        if Task.isCancelled { throw CancellationError() }
        return outcome
    }

    private func askAll(
        _ request: ClientRequest, as caller: Caller, by deadline: ContinuousClock.Instant, _ limit: Duration
    ) async throws -> (answer: ClientAnswer, asked: Int) {
        var (answers, most, shards, isAll) = ([Int: ClientAnswer](), 0, 0, false)
        // Again when there are more shards than were known.
        while !isAll {
            // What is the same everywhere needs one answer.
            shards = request.isAboutAllLoops ? lanes.shards : 1
            isAll = true
            try await withThrowingTaskGroup(of: (Int, ClientMachine.Outcome).self) { [shards] group in
                for shard in 0..<shards {
                    group.addTask { [self] in
                        (shard, try await outcome(of: request, as: caller, by: deadline, shard: shard, of: shards))
                    }
                }
                for try await (shard, outcome) in group {
                    switch outcome {
                    case .answered(let answer, let asked): (answers[shard], most) = (answer, max(most, asked))
                    case .elsewhere(let map) where map.shards.count > shards: isAll = false
                    default: throw error(for: outcome, of: request, after: limit, shard: shard)
                    }
                }
            }
        }
        return (ClientAnswer(ofAll: (0..<shards).compactMap { answers[$0] }, to: request), most)
    }

    func error(
        for outcome: ClientMachine.Outcome, of request: ClientRequest, after limit: Duration, shard: Int? = nil
    ) -> FleetClientError {
        let whom =
            shard.map { "The coordinator of shard \($0), as those at \(endpoint) say," }
            ?? "The coordinator at \(endpoint)"
        let time = "\(limit)"
        switch outcome {
        case .answered, .elsewhere, .closed:
            if let sentence = lanes.problem { return FleetClientError(.endpoint, sentence) }
            return FleetClientError(.closed, "The client of \(endpoint) was closed.")
        case .unreachable:
            return FleetClientError(
                .unreachable,
                "No coordinator answered at \(endpoint) within \(time): is it running, and is that its endpoint for clients?"
            )
        case .timedOut(busy: true):
            return FleetClientError(.busy, "\(whom) was busy for \(time); try again later.")
        case .timedOut(busy: false):
            let bytes = request.payloadBytes
            let size =
                bytes > Int(PayloadLimit.standard)
                ? " The event has \(bytes) bytes: a coordinator that takes much less ends the connection; \(PayloadLimit.advice)."
                : ""
            return FleetClientError(
                .timedOut, "\(whom) did not answer within \(time); a repetition is safe.\(size)")
        case .forbidden(let sentence): return FleetClientError(.forbidden, sentence)
        case .strange(let sentence):
            return FleetClientError(.protocol, "\(whom) cannot be understood: \(sentence)")
        }
    }
}
