public import ArgumentParser
import MobiusCommand
public import MobiusJournal

/// How much of the past a journal keeps, on the command line: a time such as `30d` or `12h`, a size such as `10GiB`, both
/// such as `30d,10GiB`, or `all`.
public struct KeptHistoryArgument: ExpressibleByArgument, Hashable, Sendable {
    /// Everything, which the option stands for without a value.
    public static let all = KeptHistoryArgument(.all)

    /// What is kept.
    public let kept: KeptHistory

    private init(_ kept: KeptHistory) {
        self.kept = kept
    }

    /// Parses the text; nil when it is neither a time nor a size nor one of each.
    public init?(argument: String) {
        guard argument != "all" else {
            self.init(.all)
            return
        }
        var window = HistoryWindow()
        for part in argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
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
        self.init(.window(window))
    }

    /// As printed in `--help`.
    public var defaultValueDescription: String { "all" }
}
