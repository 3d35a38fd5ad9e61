public import Bank

/// How far the bank is, in few numbers.
public struct BankStatus: Codable, Sendable, Equatable {
    /// How many transfers were asked for.
    public var transfers = 0
    /// How many of them have ended.
    public var ended = 0
    /// How many other things are under way: letters, lists, audits.
    public var others = 0
    /// How many events were applied.
    public var events = 0

    /// Counts.
    public init(of model: Bank.Model) {
        transfers = model.transfers.count
        ended = model.transfers.values.count { $0.state != .asked }
        others =
            model.letters.values.count { $0 == .asked }
            + model.statements.values.count { !$0.isComplete && !$0.hasFailed }
            + model.audits.values.count { !$0 }
        events = model.events
    }

    /// Whether nothing is under way.
    public var isIdle: Bool { transfers == ended && others == 0 }
}
