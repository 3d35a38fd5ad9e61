public import MobiusCore

/// The program whose journal is replayed: small events, of which each ends an effect and asks for the next one.
public enum Ledger: InPlaceLoopProgram {
    /// Who has how much.
    public struct Model: Codable, Sendable {
        /// By account.
        public var balances = [Int](repeating: 0, count: 1000)
        /// How many events were applied.
        public var applied = 0
    }

    /// What happens to the loop.
    public enum Event: Codable, Sendable {
        /// Somebody paid in.
        case deposited(account: Int, amount: Int)
        /// Somebody took out.
        case withdrawn(account: Int, amount: Int)
        /// From one to another.
        case transferred(from: Int, to: Int, amount: Int)
        /// Nothing came of it.
        case refused(account: Int)
    }

    /// What the loop asks for.
    public enum Effect: Codable, Sendable {
        /// The workers' task.
        case settle(account: Int)
    }

    /// Nobody has anything.
    public static func initiate() -> First<Model, Effect> {
        First(model: Model(), effects: (0..<outstanding).map { .settle(account: $0) })
    }

    /// How many effects are outstanding at any time.
    public static let outstanding = 1000

    /// Applies one event.
    public static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        model.applied += 1
        switch event {
        case .deposited(let account, let amount): model.balances[account] += amount
        case .withdrawn(let account, let amount): model.balances[account] -= amount
        case .transferred(let from, let to, let amount):
            model.balances[from] -= amount
            model.balances[to] += amount
        case .refused: break
        }
        return .next(effects: [.settle(account: model.applied % outstanding)])
    }

    /// The event of this number, from 1; of four sorts in turns.
    public static func event(_ number: Int) -> Event {
        let account = number % 997
        return switch number % 4 {
        case 0: .deposited(account: account, amount: number % 10_000)
        case 1: .withdrawn(account: account, amount: number % 5000)
        case 2: .transferred(from: account, to: (account + 7) % 1000, amount: number % 300)
        default: .refused(account: account)
        }
    }
}
