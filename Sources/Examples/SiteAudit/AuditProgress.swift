/// The progress of an audit.
public struct AuditProgress: Codable, Sendable, Equatable {
    /// Its request.
    public var request: String
    /// Pages crawled so far.
    public var pages: Int
    /// Links found on them that are or were checked.
    public var links: Int
    /// Links known to be broken.
    public var broken: Int
    /// Addresses that were requested and have answered or failed.
    public var checked: Int
    /// Known addresses to request, including checked ones.
    public var known: Int

    /// Describes the progress.
    public init(request: String, pages: Int, links: Int, broken: Int, checked: Int, known: Int) {
        self.request = request
        self.pages = pages
        self.links = links
        self.broken = broken
        self.checked = checked
        self.known = known
    }
}
