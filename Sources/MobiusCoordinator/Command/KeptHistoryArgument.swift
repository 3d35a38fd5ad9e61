public import ArgumentParser
public import MobiusJournal
import MobiusProcess

/// The part of the past that a journal keeps, on the command line: a time such as `30d` or `12h`, a size such as
/// `10GiB`, both such as `30d,10GiB`, or `all`.
///
/// Every text makes one, because the parser would take a wrong one for the next argument of the program; ``CoordinatorOptions``
/// rejects those without a meaning.
public struct KeptHistoryArgument: ExpressibleByArgument, CustomStringConvertible, Hashable, Sendable {
    /// Everything, which the option stands for without a value.
    public static let all = KeptHistoryArgument(argument: "all")

    /// The argument as it was written.
    let text: String
    /// The part that is kept; `nil` when the text is neither a time nor a size nor one of each.
    public let kept: KeptHistory?

    /// Parses the text.
    public init(argument: String) {
        text = argument
        kept = argument == "all" ? .all : Self.window(argument).map { .window($0) }
    }

    private static func window(_ text: String) -> HistoryWindow? {
        var window = HistoryWindow()
        for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            // A number without a unit could be either.
            guard part.utf8.contains(where: { $0 > UInt8(ascii: "9") }) else { return nil }
            if let time = KeptTimeArgument(argument: part)?.duration {
                guard window.age == nil else { return nil }
                window.age = time
            } else if let size = SizeArgument(argument: part) {
                guard window.bytes == nil else { return nil }
                window.bytes = Int64(size.bytes)
            } else {
                return nil
            }
        }
        return window
    }

    /// As printed in `--help`, which shows what the option stands for without a value.
    public var description: String { self == .all ? "all, without a value" : text }
}
