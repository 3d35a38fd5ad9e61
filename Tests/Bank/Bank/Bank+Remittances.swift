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
        return .next(effects: [.remit(remittance)])
    }

    static func receive(_ remittance: Remittance, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.received[remittance.id] == nil else {
            return surprise("remittance \(remittance.id) arrived twice", &model)
        }
        let last = model.lastReceived[remittance.from, default: 0]
        // A sender that has begun again counts from 1.
        guard remittance.number > last || remittance.number == 1 else {
            return surprise("remittance \(remittance.number) of \(remittance.from) arrived after \(last)", &model)
        }
        model.lastReceived[remittance.from] = remittance.number
        model.received[remittance.id] = remittance.amount
        model.deposited += remittance.amount
        // One that comes before its account is opened stays in the vault, account 0.
        let account = model.balances[remittance.account] == nil ? 0 : remittance.account
        model.balances[account, default: 0] += remittance.amount
        guard remittance.returns > 0 else { return .next() }
        var back = remittance
        (back.id, back.from, back.to) = ("\(remittance.id)+", remittance.to, remittance.from)
        back.returns -= 1
        back.account = account
        model.events -= 1  // counted by `send`
        return send(back, &model)
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

    /// What the models of all loops contradict about the money between them, in sentences; everything must have ended.
    ///
    /// Money that a closed loop had sent to another closed one comes back to nobody.
    public static func reconcile(_ models: [String: Model]) -> [String] {
        var complaints: [String] = []
        let received = Dictionary(models.flatMap { $0.value.received }) { $0 + $1 }
        let remitted = Dictionary(models.flatMap { $0.value.remitted }) { $0 + $1 }
        for (name, model) in models.sorted(by: { $0.key < $1.key }) {
            for (id, amount) in model.remitted where !(received[id] == amount || received[id] == nil && model.hasClosed)
            {
                complaints.append("loop \(name) has sent \(amount) as \(id), and \(received[id] ?? 0) arrived")
            }
            for (id, amount) in model.received where remitted[id] != amount {
                complaints.append("loop \(name) has received \(amount) as \(id), and \(remitted[id] ?? 0) was sent")
            }
        }
        return complaints
    }
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
    }
}
