public import Logging
public import MobiusKeys
public import MobiusWire
import Synchronization
import ZeroMQ

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
    let mailbox = ClientMailbox()
    private let thread = SocketThread(name: "client")
    private let unusable = Unusable()

    /// Makes a client, which begins to connect at once.
    ///
    /// - Parameters:
    ///   - endpoint: The coordinator's endpoint **for clients**: by default the port after the one for workers. Where
    ///     coordinators on several hosts share a journal, the `--client-bind` endpoint of each, separated by commas: the client
    ///     finds the one that runs the loops, and the next one after a take-over.
    ///   - key: The key that authenticates it and identifies the coordinator; needed for a coordinator on another host.
    ///   - timeout: How long a request waits, including connecting and repetitions: 10 s.
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
        thread.start { [mailbox, unusable] _ in
            let doors = EndpointRotation.endpoints(in: endpoint)
            let edge = ClientEdge(doors: doors, key: key, window: window, mailbox: mailbox, logger: logger)
            let context = Context()
            defer { context.terminate(patience: .seconds(1)) }
            do {
                for door in doors { try EndpointScope.check(toConnect: door, hasKey: key != nil) }
                if let problem = EndpointRotation.problem(in: doors) {
                    unusable.set("\(problem).")
                } else {
                    try edge.run(in: context)
                }
            } catch let error as KeyError {
                unusable.set(error.message)
            } catch {
                unusable.set("Cannot connect to \(endpoint): \(error)")
            }
            edge.fail(.closed)
            mailbox.close()
        }
    }

    deinit {
        mailbox.post(.close)
    }

    /// Ends all requests with ``FleetClientError/Code/closed``, and returns when the client's thread has ended.
    ///
    /// Later requests fail in the same way. A released client is closed automatically.
    public func close() async {
        mailbox.post(.close)
        await thread.finished()
    }

    /// Sends a request, waits for the answer and returns it with the number of attempts.
    func ask(
        _ request: ClientRequest, traceparent: String = "", timeout: Duration?
    ) async throws -> (answer: ClientAnswer, asked: Int) {
        try Task.checkCancellation()
        let limit = timeout ?? self.timeout
        let numbered = NumberedRequest(
            number: mailbox.nextNumber(), request: request, traceparent: traceparent, isForPeople: isForPeople)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mailbox.post(.ask(ClientCall(request: numbered, deadline: .now + limit, reply: .caller(continuation))))
                // A cancellation before this point came too early to find the call.
                if Task.isCancelled { mailbox.post(.cancel(numbered.number)) }
            }
        } onCancel: {
            mailbox.post(.cancel(numbered.number))
        }
        if Task.isCancelled { throw CancellationError() }
        switch outcome {
        case .answered(let answer, let asked): return (answer, asked)
        default: throw error(for: outcome, of: request, after: limit)
        }
    }

    func error(
        for outcome: ClientMachine.Outcome, of request: ClientRequest, after limit: Duration
    ) -> FleetClientError {
        let whom = "The coordinator at \(endpoint)"
        let time = "\(limit)"
        switch outcome {
        case .answered, .closed:
            if let sentence = unusable.sentence { return FleetClientError(.endpoint, sentence) }
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

/// Why a client's thread ended early, if it did.
private final class Unusable: Sendable {
    private let reason = Mutex<String?>(nil)

    var sentence: String? { reason.withLock { $0 } }

    func set(_ sentence: String) {
        reason.withLock { $0 = sentence }
    }
}
