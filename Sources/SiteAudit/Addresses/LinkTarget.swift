/// Where a reference leads.
public enum LinkTarget: Sendable, Equatable {
    /// To something that HTTP can fetch: the absolute, normalised URL without fragment, and the percent-decoded fragment.
    ///
    /// A fragment is `nil` when there is none, and also when it holds nothing but a text directive (`#:~:text=…`).
    case web(url: String, fragment: String?)
    /// To something that is not checked: the scheme in lower case, such as `mailto`, `tel`, `javascript` or `data`.
    case skipped(scheme: String)
    /// Nowhere: no browser can make an address of it.
    case invalid
}
