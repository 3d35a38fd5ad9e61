public import Clearing
import FleetTestSupport
import MobiusClient
import MobiusProgram

/// The customers of a bank whose accounts and transfers are loops: they request again what was not confirmed, through all kills.
public struct ClearingCustomers: Sendable {
    private static let accounts = (1...4).map { Address<Account>("\($0)") }

    private let client: FleetClient
    private let transfers: [Address<Transfer>]

    /// Customers of the coordinators at these endpoints, who want so many transfers.
    public init(_ endpoints: String, transfers: Int) {
        client = FleetClient(connect: endpoints, timeout: .seconds(3600))
        self.transfers = (1...transfers).map { Address("\($0)") }
    }

    /// Opens the accounts, and requests all transfers, a few at a time.
    public func request() async throws {
        for account in Self.accounts { try await send(.opened(1000), to: account) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, transfer) in transfers.enumerated() {
                if number >= 4 { try await group.next() }
                let request = Self.request(number)
                group.addTask { try await send(.requested(request), to: transfer) }
            }
            try await group.waitForAll()
        }
    }

    private func send<Own: FleetProgram>(_ event: Own.Event, to address: Address<Own>) async throws {
        try await eventually("\(address) has its event") {
            try await client.send(event, to: address, key: "wish", timeout: .seconds(5))
            return true
        }
    }

    /// Some transfers are refused by the one that pays, some by the one that is paid, and some go from an account to itself.
    private static func request(_ number: Int) -> Transfer.Request {
        let (from, to) = (number % 4 + 1, number % 7 == 0 ? 9 : number * 5 % 4 + 1)
        return Transfer.Request(from: "\(from)", to: "\(to)", amount: [1, 250, 13, 40, 5000][number % 5])
    }

    /// Waits until everything has ended.
    public func books() async throws -> Clearing.Books {
        for transfer in transfers {
            try await eventually("\(transfer) has ended") {
                try await client.model(of: transfer, timeout: .seconds(5)).stage.isEnd
            }
        }
        try await eventually("nothing is under way") { try await client.status(timeout: .seconds(5)).pending == 0 }
        func models<Own: FleetProgram>(_ program: Own.Type) async throws -> [String: Own.Model] {
            let page = try await client.models(of: program)
            precondition(page.next == nil && page.unread.isEmpty, "All loops of the kind \(Own.kind) can be read.")
            return Dictionary(page.models.map { ($0.address.key, $0.model) }) { $1 }
        }
        let (accounts, transfers) = (try await models(Account.self), try await models(Transfer.self))
        let vault = try await client.model(of: Address<Vault>.only)
        await client.close()
        return Clearing.Books(accounts: accounts, transfers: transfers, vault: vault)
    }
}
