/// The keys under which events are sent: a loop applies one event of each.
package enum EventKey {
    private static let deliveries = "effect "

    /// The key of an event that a loop of another shard sends: an effect's id is not used twice in a journal.
    package static func delivery(of effect: EffectID) -> String { deliveries + effect.description }

    /// The loop that sends the event of this key from another shard; `nil` for any other key.
    package static func sender(of key: String) -> LoopID? {
        guard isReserved(key) else { return nil }
        // An effect's id is loop/sequence/index, and the name of a loop may have slashes, too.
        let parts = key.utf8.dropFirst(deliveries.utf8.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 2, let first = parts.first, let last = parts.dropLast(2).last else { return nil }
        return LoopID(String(key.utf8[first.startIndex..<last.endIndex]) ?? "")
    }

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
