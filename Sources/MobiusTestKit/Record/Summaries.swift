import MobiusJournal
import MobiusWire

// Short descriptions of messages, for traces.
extension WorkerMessage {
    var summary: String {
        switch self {
        case .hello(let hello): "HELLO \(hello.number) credit \(hello.creditTotal), holds \(hello.held.map(\.id))"
        case .credit(let total): "CREDIT \(total)"
        case .heartbeat(let total, let orders, let held):
            "HEARTBEAT credit \(total), got \(orders.received) of \(orders.sent), holds \(held.map(\.id))"
        case .events(_, let reports): "EVENT \(reports.map { "\($0.id.summary)\($0.final ? " final" : "")" })"
        case .failures(_, let reports): "FAIL \(reports.map(\.id.summary))"
        case .draining(let held): "DRAINING holds \(held.map(\.id))"
        case .bye: "BYE"
        case .reclaim(let number, let credits): "RECLAIM \(number) of \(credits)"
        }
    }
}

extension CoordinatorMessage {
    var summary: String {
        switch self {
        case .welcome(let welcome): "WELCOME to HELLO \(welcome.hello)"
        case .reject(let reason): "REJECT \(reason)"
        case .effects(let sent, let orders): "EFFECT after \(sent) \(orders.map(\.id))"
        case .ack(let reports): "ACK \(reports.map(\.summary))"
        case .stale(let attempts): "STALE \(attempts)"
        case .cancel(let attempts): "CANCEL \(attempts)"
        case .pulse(let sent): "PULSE sent \(sent)"
        case .drain(let drain): "DRAIN \(drain)"
        case .resync: "RESYNC"
        case .moved(let moved): "MOVED to \(moved.endpoint ?? "nowhere")"
        case .wanted(let effects): "WANTED by \(effects)"
        case .reclaimed(let number, let total): "RECLAIMED \(number), \(total) in all"
        }
    }
}

extension ReportID {
    var summary: String { "\(attempt) no. \(number)" }
}

extension SourceKey {
    var summary: String {
        switch self {
        case .start: "the start"
        case .report(let attempt, let number): "\(attempt) no. \(number)"
        case .failure(let effect, _): "the failure of \(effect)"
        case .timer(let effect, let due): "the timer \(effect), due \(due.milliseconds)"
        case .outside(let key): "outside, \(key)"
        case .loop(let effect): "\(effect), which is an event for it"
        case .answer(let effect): "the answer to \(effect)"
        }
    }
}
