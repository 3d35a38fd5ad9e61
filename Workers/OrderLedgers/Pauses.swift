/// The times that a worker's deeds take, before and after the entry in its ledger.
///
/// A real service takes its time. Here the tests take it: a process that is killed in one of these pauses has made its entry,
/// or has not, and nobody else knows which.
public struct Pauses: Sendable {
    private let before: @Sendable () async throws -> Void
    private let after: @Sendable () async throws -> Void

    /// Makes pauses.
    public init(
        before: @escaping @Sendable () async throws -> Void = {},
        after: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.before = before
        self.after = after
    }

    /// No pauses.
    public static let none = Pauses()

    /// A pause before the entry.
    public static func before(_ time: Duration) -> Pauses {
        guard time > .zero else { return .none }
        return Pauses(before: { try await Task.sleep(for: time) })
    }

    func around<Value: Sendable>(_ deed: () async throws -> Value) async throws -> Value {
        try await before()
        let value = try await deed()
        try await after()
        return value
    }
}
