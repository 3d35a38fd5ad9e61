import MobiusWire

/// The messages that Protocol.md shows byte for byte, as values.
enum Examples {
    static let all: [AnyMessage] = workers.map { .worker($0) } + coordinators.map { .coordinator($0) }

    static func command(_ command: Command) -> AnyMessage {
        guard let example = all.first(where: { $0.command == command }) else {
            preconditionFailure("Add an example of \(command).")
        }
        return example
    }

    static let journal = JournalID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

    static func attempt(_ sequence: UInt64, index: UInt32 = 0, epoch: UInt64, number: UInt32) -> AttemptID {
        AttemptID(
            effect: EffectID(loop: .main, sequence: sequence, index: index),
            attempt: Attempt(epoch: epoch, number: number))
    }

    static let old = attempt(4, epoch: 2, number: 1)
    static let fresh = attempt(5, epoch: 3, number: 1)

    private static let effect = Payload(
        kind: PayloadKind(type: "Greeter.Effect"), bytes: Array(#"{"greet":"ada"}"#.utf8))
    private static let event = Payload(
        kind: PayloadKind(type: "Greeter.Event"), bytes: Array(#"{"greeted":"ada"}"#.utf8))

    private static let workers: [Envelope<WorkerMessage>] = [
        Envelope(
            epoch: 2, session: 0,
            message: .hello(
                Hello(
                    number: 2, incarnation: Incarnation(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210),
                    journal: journal, pools: ["greeters"], build: "greeter-worker 1.0",
                    contentTypes: ["application/json"], creditTotal: 2,
                    held: [HeldAttempt(id: old, progressAge: 250)]))),
        said(.credit(total: 4)),
        said(
            .heartbeat(
                creditTotal: 4, orders: OrderCount(sent: 3, received: 2),
                held: [HeldAttempt(id: old, progressAge: 1250), HeldAttempt(id: fresh)])),
        said(
            .events(creditTotal: 3, [EventReport(id: ReportID(attempt: fresh, number: 1), final: true, event: event)])),
        said(
            .failures(
                creditTotal: 4,
                [
                    FailureReport(
                        id: ReportID(attempt: old, number: 3), retryable: true, delay: 1000, reason: "no route to host")
                ])),
        said(.draining(held: [HeldAttempt(id: fresh)])),
        said(.bye),
        said(.reclaim(number: 2, credits: 3)),
    ]

    private static let coordinators: [Envelope<CoordinatorMessage>] = [
        said(
            .welcome(
                Welcome(hello: 2, version: 1, journal: journal, heartbeat: 1000, silence: 5000, maximumPayload: 4 << 20)
            )),
        Envelope(epoch: 3, session: 0, message: .reject("No route leads to pool \"greeter\".")),
        said(.effects(after: 1, [EffectOrder(id: fresh, timeout: 5000, effect: effect)])),
        said(.ack([ReportID(attempt: fresh, number: 1)])),
        said(.stale([old])),
        said(.cancel([attempt(6, index: 1, epoch: 3, number: 4)])),
        said(.pulse(sent: 3)),
        said(.drain(.wait)),
        Envelope(epoch: 3, session: 0, message: .resync),
        Envelope(epoch: 0, session: 0, message: .moved(Moved(endpoint: "tcp://10.0.0.2:5711", hello: 2))),
        said(.wanted(5)),
        said(.reclaimed(number: 2, total: 4)),
    ]

    private static func said<Message>(_ message: Message) -> Envelope<Message> {
        Envelope(epoch: 3, session: 7, message: message)
    }
}
