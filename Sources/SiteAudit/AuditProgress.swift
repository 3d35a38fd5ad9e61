/// How far an audit is.
public struct AuditProgress: Codable, Sendable, Equatable {
    /// The request it is for.
    public var request: String
    /// Pages crawled so far.
    public var pages: Int
    /// Links found on them that are or were checked.
    public var links: Int
    /// Links known to be broken.
    public var broken: Int
    /// Addresses that have been asked for and answered, or not.
    public var checked: Int
    /// Addresses known that are to be asked for, with those already checked.
    public var known: Int

    /// Describes how far an audit is.
    public init(request: String, pages: Int, links: Int, broken: Int, checked: Int, known: Int) {
        self.request = request
        self.pages = pages
        self.links = links
        self.broken = broken
        self.checked = checked
        self.known = known
    }
}
