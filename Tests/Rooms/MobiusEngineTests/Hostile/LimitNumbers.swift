import MobiusEngine
import MobiusWire

/// Messages about effects that there are, or nearly, with every integer at one of its limits.
struct LimitNumbers {
    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    mutating func number(upTo limit: UInt64) -> UInt64 { UInt64.random(in: 0...limit, using: &generator) }

    /// 0, 1, the largest, one less, or one half of it.
    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>() -> Value {
        [0, 1, .max, .max - 1, .max / 2, .max / 2 + 1][Int(number(upTo: 5))]
    }

    mutating func workerMessage() -> WorkerMessage {
        switch number(upTo: 9) {
        case 0: .hello(hello())
        case 1: .credit(total: integer())
        case 2, 3: .heartbeat(creditTotal: integer(), orders: orders(), held: list { $0.held() })
        case 4, 5, 6: .events(creditTotal: integer(), list { $0.event() })
        case 7: .failures(creditTotal: integer(), list { $0.failure() })
        case 8:
            switch number(upTo: 3) {
            case 0: .draining(held: list { $0.held() })
            case 1: .reclaim(number: integer(), credits: integer())
            default: .credit(total: integer())
            }
        default: number(upTo: 3) == 0 ? .bye : .hello(hello())
        }
    }

    mutating func coordinatorMessage() -> CoordinatorMessage {
        switch number(upTo: 9) {
        case 0: .welcome(welcome())
        case 1, 2, 3:
            .effects(
                after: integer(),
                list {
                    let payload = $0.payload()
                    return EffectOrder(id: $0.attempt(), timeout: $0.integer(), effect: payload)
                })
        case 4: .ack(list { $0.report() })
        case 5: .stale(list { $0.attempt() })
        case 6: .cancel(list { $0.attempt() })
        case 7: .pulse(sent: integer())
        case 8: number(upTo: 9) == 0 ? .drain(.leave) : .drain(.wait)
        default:
            switch number(upTo: 4) {
            case 0: .moved(moved())
            case 1: .wanted(integer())
            case 2: .reclaimed(number: integer(), total: integer())
            default: .resync
            }
        }
    }

    private mutating func moved() -> Moved {
        Moved(endpoint: [nil, "tcp://10.0.0.1:1", "tcp://10.0.0.2:2"][Int(number(upTo: 2))], hello: integer())
    }

    mutating func envelope<Message>(_ message: Message) -> Envelope<Message> {
        Envelope(epoch: integer(), session: integer(), message: message)
    }

    private mutating func hello() -> Hello {
        Hello(
            number: integer(), incarnation: Incarnation(high: 0, low: number(upTo: 3)),
            journal: CoordinatorDrive.journal,
            pools: [["a"], ["b"], ["a", "b"]][Int(number(upTo: 2))], build: "b", contentTypes: [],
            creditTotal: integer(), held: list { $0.held() })
    }

    private mutating func welcome() -> Welcome {
        Welcome(
            hello: integer(), version: 1, journal: JournalID(high: number(upTo: 1), low: 0),
            heartbeat: max(1, integer()),
            silence: max(1, integer()), maximumPayload: integer(), takesTraces: true)
    }

    private mutating func orders() -> OrderCount {
        let (one, other): (UInt64, UInt64) = (integer(), integer())
        return OrderCount(sent: max(one, other), received: min(one, other))
    }

    private mutating func event() -> EventReport {
        let final = number(upTo: 2) == 0
        return EventReport(id: report(), final: final, event: final && number(upTo: 1) == 0 ? nil : payload())
    }

    private mutating func failure() -> FailureReport {
        FailureReport(id: report(), retryable: number(upTo: 3) > 0, delay: integer(), reason: "no")
    }

    private mutating func payload() -> Payload {
        Payload(kind: PayloadKind(type: "Event"), bytes: [UInt8](repeating: 7, count: Int(number(upTo: 300))))
    }

    private mutating func held() -> HeldAttempt { HeldAttempt(id: attempt(), progressAge: integer()) }

    private mutating func report() -> ReportID {
        let first = number(upTo: 2) > 0
        return ReportID(attempt: attempt(), number: first ? 1 : max(1, integer()))
    }

    /// Mostly of the effects that the drives begin with.
    private mutating func attempt() -> AttemptID {
        let isStrange = number(upTo: 3) == 0
        let effect = EffectID(
            loop: number(upTo: 1) == 0 ? .main : LoopID("other") ?? .main, sequence: isStrange ? integer() : 0,
            index: UInt32(number(upTo: 4)))
        let attempt = Attempt(
            epoch: isStrange ? integer() : 1 + number(upTo: 1), number: isStrange ? integer() : 1)
        return AttemptID(effect: effect, attempt: attempt)
    }

    private mutating func list<Element>(_ make: (inout Self) -> Element) -> [Element] {
        (0..<number(upTo: 4)).map { _ in make(&self) }
    }
}
