/// The version of Mobius Fleet.
public enum FleetVersion {
    /// By semantic versioning, as printed by `mobius version`.
    public static let current = "0.1.0"
}
