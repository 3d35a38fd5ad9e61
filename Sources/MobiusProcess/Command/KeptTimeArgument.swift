public import ArgumentParser

/// The time for which something is kept, on the command line: days such as `30d`, another duration such as `12h`, or
/// `forever`.
public struct KeptTimeArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The time; nil for ever.
    public let duration: Duration?

    /// Parses the text, of at most 36,500 days; nil when it is not such a time.
    public init?(argument: String) {
        if argument == "forever" {
            duration = nil
        } else if argument.hasSuffix("d"), let days = UInt16(argument.dropLast()), days <= 36_500 {
            duration = .seconds(Int64(days) * 86_400)
        } else if !argument.hasSuffix("d"), let time = DurationArgument(argument: argument) {
            duration = time.duration
        } else {
            return nil
        }
    }
}
