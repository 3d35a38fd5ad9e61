public import MobiusCodec
import MobiusCore

// Money that goes from loop to loop.
extension Bank {
    /// Money for an account of another loop, or of the same one.
    public struct Remittance: Codable, Hashable, Sendable {
        /// Unique among all loops.
        public var id: String
        /// The loop that it comes from.
        public var from: String
        /// The loop that it goes to.
        public var to: String
        /// The account in each of them.
        public var account: Int
        /// How much.
        public var amount: Int
        /// How often it goes on to the loop that it came from.
        public var returns: Int
        /// Counts those from this loop to that one, from 1; set by the sender.
        public var number = 0
        /// Whether the other loop is asked, and answers or refuses it; set by the customer.
        public var asks = false

        /// Describes a remittance.
        public init(id: String, from: String, to: String, account: Int, amount: Int, returns: Int) {
            self.id = id
            self.from = from
            self.to = to
            self.account = account
            self.amount = amount
            self.returns = returns
        }
    }

    /// What a loop hears that asked another one.
    public enum RemittanceAnswer: Codable, Hashable, Sendable {
        /// It has the money, with so many events applied.
        case taken(Int)
        /// It does not want it.
        case refused
        /// It has ended, or cannot begin.
        case returned
        /// It may have the money, or not.
        case unknown
    }

    static func send(_ remittance: Remittance, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.remitted[remittance.id] == nil else {
            return surprise("remittance \(remittance.id) was requested twice", &model)
        }
        guard let balance = model.balances[remittance.account], balance >= remittance.amount else { return .next() }
        var remittance = remittance
        model.balances[remittance.account] = balance - remittance.amount
        model.deposited -= remittance.amount
        model.remitted[remittance.id] = remittance.amount
        remittance.number = model.sent[remittance.to, default: 0] + 1
        model.sent[remittance.to] = remittance.number
        if remittance.asks { model.asked.insert(remittance.id) }
        return .next(effects: [remittance.asks ? .ask(remittance) : .remit(remittance)])
    }

    static func receive(_ remittance: Remittance, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.received[remittance.id] == nil else {
            return surprise("remittance \(remittance.id) arrived twice", &model)
        }
        if remittance.isUnwanted { return .next(effects: [.refuse(model.events)]) }
        let last = model.lastReceived[remittance.from, default: 0]
        // A sender that has begun again counts from 1, and one whose time is over may still arrive.
        guard remittance.number > last || remittance.number == 1 || remittance.asks else {
            return surprise("remittance \(remittance.number) of \(remittance.from) arrived after \(last)", &model)
        }
        model.lastReceived[remittance.from] = remittance.number
        model.received[remittance.id] = remittance.amount
        model.deposited += remittance.amount
        // One that comes before its account is opened stays in the vault, account 0.
        let account = model.balances[remittance.account] == nil ? 0 : remittance.account
        model.balances[account, default: 0] += remittance.amount
        let answer: [Effect] = remittance.asks ? [.answer(model.events)] : []
        guard remittance.returns > 0 else { return .next(effects: answer) }
        var back = remittance
        (back.id, back.from, back.to) = ("\(remittance.id)+", remittance.to, remittance.from)
        back.returns -= 1
        back.account = account
        model.events -= 1  // counted by `send`
        let change = send(back, &model)
        return .next(effects: answer + change.effects)
    }

    static func answered(
        _ remittance: Remittance, _ answer: RemittanceAnswer, _ model: inout Model
    ) -> Change<Effect> {
        guard model.asked.remove(remittance.id) != nil else {
            model.events += 1
            return surprise("remittance \(remittance.id) was answered, and nobody asked", &model)
        }
        switch answer {
        case .taken(let events): model.answers[remittance.id] = events
        case .unknown: model.unanswered.insert(remittance.id)
        case .refused where !remittance.isUnwanted:
            model.events += 1
            return surprise("remittance \(remittance.id) was refused, and is wanted", &model)
        case .refused, .returned: return takeBack(remittance, &model)
        }
        model.events += 1
        return .next()
    }

    static func takeBack(_ remittance: Remittance, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.remitted.removeValue(forKey: remittance.id) != nil else {
            return surprise("remittance \(remittance.id) came back, and was not under way", &model)
        }
        model.deposited += remittance.amount
        model.balances[remittance.account, default: 0] += remittance.amount
        return .next()
    }

    static func close(_ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard !model.hasClosed else { return surprise("the bank was closed twice", &model) }
        model.hasClosed = true
        return .next(effects: [.close])
    }

    static func take(_ child: String, ends: Bool, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        return .next(effects: [ends ? .endAtEnd(child) : .tellAtEnd(child)])
    }

    static func letGo(_ child: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        return .next(effects: [.letGo(child)])
    }

    static func follow(_ model: inout Model) -> Change<Effect> {
        guard model.hasClosed else { return close(&model) }
        model.events += 1
        return surprise("a loop that has closed was told that another one ended", &model)
    }

    /// What the models of all loops contradict about the money between them, in sentences; everything must have ended.
    ///
    /// Money that a closed loop had sent to another closed one comes back to nobody.
    public static func reconcile(_ models: [String: Model]) -> [String] {
        var complaints: [String] = []
        let received = Dictionary(models.flatMap { $0.value.received }) { $0 + $1 }
        let remitted = Dictionary(models.flatMap { $0.value.remitted }) { $0 + $1 }
        for (name, model) in models.sorted(by: { $0.key < $1.key }) {
            for (id, amount) in model.remitted where received[id] != amount {
                guard received[id] != nil || !model.hasClosed && !model.unanswered.contains(id) else { continue }
                complaints.append("loop \(name) has sent \(amount) as \(id), and \(received[id] ?? 0) arrived")
            }
            for id in model.answers.keys.sorted() where received[id] == nil {
                complaints.append("loop \(name) hears that \(id) arrived, and it did not")
            }
            for (id, amount) in model.received where remitted[id] != amount {
                complaints.append("loop \(name) has received \(amount) as \(id), and \(remitted[id] ?? 0) was sent")
            }
        }
        return complaints
    }
}

extension Bank.Remittance {
    /// Whether every loop refuses it: a rule that depends on it only, so that all attempts agree.
    var isUnwanted: Bool { asks && amount == 10 }
}

extension Bank.Remittance: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(id, at: 1)
        writer.write(from, at: 2)
        writer.write(to, at: 3)
        writer.write(account, at: 4)
        writer.write(amount, at: 5)
        writer.write(returns, at: 6)
        writer.write(number, at: 7)
        writer.write(asks, at: 8)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        from = try reader.read(at: 2)
        to = try reader.read(at: 3)
        account = try reader.read(at: 4)
        amount = try reader.read(at: 5)
        returns = try reader.read(at: 6)
        number = try reader.read(at: 7)
        asks = try reader.read(at: 8)
    }
}

extension Bank.RemittanceAnswer: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        switch self {
        case .taken(let events):
            writer.writeCase(1)
            writer.write(events, at: 1)
        case .refused: writer.writeCase(2)
        case .returned: writer.writeCase(3)
        case .unknown: writer.writeCase(4)
        }
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .taken(try reader.read(at: 1))
        case 2: self = .refused
        case 3: self = .returned
        case 4: self = .unknown
        case let number: throw reader.unknownCase(number)
        }
    }
}
