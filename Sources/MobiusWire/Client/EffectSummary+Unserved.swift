extension EffectSummary {
    /// The clause that says that a pool has no worker, as in ``obstacle``.
    public static func unserved(_ pool: String) -> String { "no worker serves \(pool)" }
}
