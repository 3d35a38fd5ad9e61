/// The rights of a caller at a coordinator, and the values that it needs to use them.
public struct CallerRights: Hashable, Sendable, Codable {
    /// The caller's name in the allow-list; `nil` where no keys are.
    public var name: String?
    /// The caller's rights as a client, such as `send` and `models`; all of them where no keys are.
    ///
    /// More may come.
    public var rights: [String]
    /// The largest event in bytes.
    public var maximumPayload: UInt32

    /// Describes a caller.
    public init(name: String?, rights: [String], maximumPayload: UInt32) {
        self.name = name
        self.rights = rights
        self.maximumPayload = maximumPayload
    }
}
