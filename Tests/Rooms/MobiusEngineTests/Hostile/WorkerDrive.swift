import MobiusEngine
import MobiusWire

/// A worker machine that is told whatever a coordinator sends, with handlers that report and end.
///
/// The fuzzer uses it, too: it needs nothing but the modules that it drives.
struct WorkerDrive: ~Copyable {
    private(set) var machine = WorkerMachine(
        WorkerConfiguration(
            incarnation: Incarnation(high: 1, low: 1), pools: ["a"], build: "b", contentTypes: [], capacity: 4))
    private(set) var now = Moment(nanoseconds: 1)
    private(set) var hasLeft = false
    private var session: UInt64 = 0
    private var epoch: UInt64 = 0
    private var handlers: [AttemptID] = []

    init() {
        play(.connected)
    }

    /// Its coordinator says something, in the session where that `fits`.
    mutating func receive(_ envelope: Envelope<CoordinatorMessage>, fits: Bool) {
        var envelope = envelope
        if case .welcome(var welcome) = envelope.message {
            if fits { welcome.hello = 0 }
            (epoch, session) = (envelope.epoch, envelope.session)
            envelope = Envelope(epoch: epoch, session: session, message: .welcome(welcome))
        } else if fits {
            envelope = Envelope(epoch: epoch, session: session, message: envelope.message)
        }
        play(.received(envelope))
    }

    /// The oldest handler says something.
    mutating func report(final: Bool) {
        guard let id = handlers.first else { return }
        if final { handlers.removeFirst() }
        play(.report(id, event: Payload(kind: PayloadKind(type: "Event"), bytes: [1]), final: final))
    }

    /// The oldest handler gives up.
    mutating func fail() {
        guard !handlers.isEmpty else { return }
        play(.failed(handlers.removeFirst(), retryable: true, delay: .max, reason: "no"))
    }

    /// Time passes, and what falls due is done.
    mutating func wait(_ duration: Duration) {
        now = now + duration
        guard let deadline = machine.nextDeadline, deadline <= now else { return }
        play(.progress(Dictionary(handlers.map { ($0, now) }) { $1 }))
        play(.tick)
    }

    private mutating func play(_ input: WorkerInput) {
        for action in machine.handle(input, at: now) + machine.handle(.flush, at: now) {
            switch action {
            case .send(let envelope):
                var bytes: [UInt8] = []
                envelope.encode(into: &bytes)
            case .run(let order): handlers.append(order.id)
            case .exit: hasLeft = true
            case .reconnect: if !hasLeft { play(.connected) }
            default: break
            }
        }
    }
}
