import MobiusWire

/// A generator with a seed, so that a failing test fails again (Steele, Lea and Flood 2014, "SplitMix").
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(upTo limit: Int) -> Int {
        Int.random(in: 0...limit, using: &self)
    }

    mutating func chance(oneIn many: Int) -> Bool {
        number(upTo: many - 1) == 0
    }
}

// Messages of every kind, with every field anywhere in its range and often at its ends.
extension SeededGenerator {
    mutating func message(_ command: Command) -> AnyMessage {
        switch command {
        case .hello: said(.hello(hello()))
        case .credit: said(.credit(total: integer()))
        case .heartbeat: said(.heartbeat(creditTotal: integer(), orders: orders(), held: list { $0.held() }))
        case .event: said(.events(creditTotal: integer(), list { $0.event() }))
        case .fail: said(.failures(creditTotal: integer(), list { $0.failure() }))
        case .draining: said(.draining(held: list { $0.held() }))
        case .bye: said(.bye)
        case .reclaim: said(.reclaim(number: integer(), credits: integer()))
        case .welcome: said(.welcome(welcome()))
        case .reject: said(.reject(string(upTo: chance(oneIn: 20) ? 65_535 : 80)))
        case .effect: said(.effects(after: integer(), list { $0.order() }))
        case .ack: said(.ack(list { $0.report() }))
        case .stale: said(.stale(list { $0.attempt() }))
        case .cancel: said(.cancel(list { $0.attempt() }))
        case .pulse: said(.pulse(sent: integer()))
        case .drain: said(.drain(chance(oneIn: 2) ? .leave : .wait))
        case .resync: said(.resync)
        case .moved:
            said(.moved(Moved(endpoint: endpoint(), hello: integer(), shards: UInt32(1 + number(upTo: 255)))))
        case .wanted: said(.wanted(integer()))
        case .reclaimed: said(.reclaimed(number: integer(), total: integer()))
        }
    }

    private mutating func said(_ message: WorkerMessage) -> AnyMessage {
        .worker(Envelope(epoch: integer(), session: integer(), message: message))
    }

    private mutating func said(_ message: CoordinatorMessage) -> AnyMessage {
        .coordinator(Envelope(epoch: integer(), session: integer(), message: message))
    }

    private mutating func orders() -> OrderCount {
        let (one, other): (UInt64, UInt64) = (integer(), integer())
        return OrderCount(sent: max(one, other), received: min(one, other))
    }

    private mutating func hello() -> Hello {
        var hello = Hello(
            number: integer(), versions: bytes(1...4), incarnation: .random(using: &self),
            journal: chance(oneIn: 2) ? nil : .random(using: &self), pools: [string(upTo: 255)] + list { $0.string() },
            build: string(), contentTypes: list { $0.string() }, creditTotal: integer(), held: list { $0.held() },
            name: string())
        hello.effectTypes = list { $0.string() }
        return hello
    }

    private mutating func welcome() -> Welcome {
        Welcome(
            hello: integer(), version: integer(), journal: .random(using: &self), heartbeat: max(1, integer()),
            silence: max(1, integer()),
            maximumPayload: integer(), takesTraces: chance(oneIn: 2))
    }

    /// Where an owner may be; `nil` for one in three.
    mutating func endpoint() -> String? {
        switch number(upTo: 5) {
        case 0, 1: nil
        case 2: "ipc:///run/" + String(repeating: "x", count: number(upTo: Moved.maximumPath - 5))
        case 3: "tcp://[fe80::\(number(upTo: 9))%eth0]:\(1 + number(upTo: 65_534))"
        case 4: "tcp://" + String(repeating: "h", count: 1 + number(upTo: 240)) + ":1"
        default: "tcp://10.0.0.\(number(upTo: 255)):\(1 + number(upTo: 65_534))"
        }
    }

    private mutating func order() -> EffectOrder {
        EffectOrder(id: attempt(), timeout: integer(), traceparent: string(upTo: 255), effect: payload())
    }

    private mutating func event() -> EventReport {
        let final = chance(oneIn: 2)
        return EventReport(
            id: report(), final: final, event: final && chance(oneIn: 2) ? nil : payload(),
            traceparent: chance(oneIn: 2) ? string(upTo: 255) : "")
    }

    private mutating func failure() -> FailureReport {
        FailureReport(
            id: report(), retryable: chance(oneIn: 2), delay: integer(),
            reason: string(upTo: chance(oneIn: 10) ? FailureReport.maximumReason : 60))
    }

    private mutating func held() -> HeldAttempt {
        HeldAttempt(id: attempt(), progressAge: integer())
    }

    private mutating func report() -> ReportID {
        ReportID(attempt: attempt(), number: max(1, integer()))
    }

    private mutating func attempt() -> AttemptID {
        let name = chance(oneIn: 3) ? string(upTo: LoopID.maximumLength) : ["main", "main", "other"][number(upTo: 2)]
        return AttemptID(
            effect: EffectID(loop: LoopID(name) ?? .main, sequence: integer(), index: integer()),
            attempt: Attempt(epoch: integer(), number: integer()))
    }

    private mutating func payload() -> Payload {
        let type = chance(oneIn: 2) ? "Type" : string(upTo: 255)
        let contentType = chance(oneIn: 2) ? PayloadKind.jsonContentType : string()
        return Payload(
            kind: PayloadKind(type: type, version: integer(), contentType: contentType), bytes: bytes(0...100))
    }

    private mutating func list<Element>(_ make: (inout Self) -> Element) -> [Element] {
        (0..<number(upTo: 5)).map { _ in make(&self) }
    }

    private mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &self)).map { _ in integer() }
    }

    /// Any value; one in four at an end of the range.
    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>() -> Value {
        switch number(upTo: 7) {
        case 0: 0
        case 1: .max
        default: Value(truncatingIfNeeded: next())
        }
    }

    /// A string of whole characters of one to twenty-five bytes.
    mutating func string(upTo limit: Int = 40) -> String {
        let alphabet = ["a", "Z", "/", " ", "\n", "\0", "ü", "e\u{301}", "漢", "🦊", "👨‍👩‍👧‍👦", "🇨🇭"]
        let length = chance(oneIn: 8) ? limit : number(upTo: limit)
        var string = ""
        while true {
            let next = alphabet[number(upTo: alphabet.count - 1)]
            guard string.utf8.count + next.utf8.count <= length else { return string }
            string += next
        }
    }
}
