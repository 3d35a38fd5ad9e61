/// Who paused a pool, why and when: it gets no new attempts until it is resumed.
public struct PoolPause: Hashable, Sendable, Codable {
    /// The name of the key or token of who asked, up to 255 bytes; empty where no keys are.
    public var by: String
    /// The reason, for people, up to 500 bytes.
    public var why: String
    /// The time at which it was asked for; nothing new starts a little later, once it is on disk.
    public var since: WallTime

    /// Describes a pause; longer texts are cut.
    public init(by name: String, why: String, since: WallTime) {
        by = name.cut(toBytes: 255)
        self.why = why.cut(toBytes: 500)
        self.since = since
    }

    /// Returns a clause about the pause of this pool.
    package func sentence(of pool: String) -> String {
        "the pool \(pool) is paused\(by.isEmpty ? "" : " by \(by)") since \(since.text)\(why.isEmpty ? "" : ": \(why)")"
    }
}
