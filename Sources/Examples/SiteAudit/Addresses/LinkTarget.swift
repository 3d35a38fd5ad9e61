/// The target of a reference.
public enum LinkTarget: Sendable, Equatable {
    /// An address that HTTP can fetch: the absolute URL without fragment, and the percent-decoded fragment.
    ///
    /// The fragment is `nil` when there is none, and when it is only a text directive (`#:~:text=…`).
    case web(url: String, fragment: String?)
    /// An address that is not checked: the scheme in lower case, such as `mailto`, `tel`, `javascript` or `data`.
    case skipped(scheme: String)
    /// Not a valid address for any browser.
    case invalid
}
