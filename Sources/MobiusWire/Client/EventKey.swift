/// The keys under which events are sent: a loop applies one event of each.
package enum EventKey {
    private static let deliveries = "effect "

    /// The key of an event that a loop of another shard sends: an effect's id is not used twice in a journal.
    package static func delivery(of effect: EffectID) -> String { deliveries + effect.description }

    /// Whether a key is for deliveries between shards: under one, somebody else's event would take the place of a delivery.
    package static func isReserved(_ key: String) -> Bool { key.utf8.starts(with: deliveries.utf8) }

    /// Returns the fault of a key that a client chose; `nil` if there is none.
    package static func problem(with key: String) -> String? {
        guard (1...ClientRequest.maximumKey).contains(key.utf8.count) else {
            return "A key has 1 to \(ClientRequest.maximumKey) bytes, this one has \(key.utf8.count)."
        }
        guard !isReserved(key) else {
            return "Keys that begin with '\(deliveries)' are for events between shards: choose another one."
        }
        return nil
    }
}
