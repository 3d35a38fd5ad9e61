public import ArgumentParser

/// A duration on the command line or in a topology file: `10` and `10s` (seconds), `0.5`, `250ms`, `2m`, `1h`.
///
/// Never negative; at most 365 days, so that adding it to an instant cannot overflow.
public struct DurationArgument: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
    /// The length.
    public let duration: Duration

    private static let longest = 365.0 * 86_400
    // The longer suffix comes first: "ms" ends in "s".
    private static let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]

    /// Wraps a duration.
    public init(_ duration: Duration) {
        self.duration = duration
    }

    /// Parses the text; nil when it is not a length of time.
    public init?(argument: String) {
        var number = Substring(argument)
        var factor = 1.0
        if let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }) {
            number = argument.dropLast(unit.suffix.count)
            factor = unit.seconds
        }
        // Double() also reads "inf", "nan" and "0x1p3", which are invalid here.
        guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(number), value * factor <= Self.longest
        else { return nil }
        self.duration = .milliseconds((value * factor * 1000).rounded())
    }

    /// The shortest text that parses back: `250ms`, `10s`, `2m`.
    public var description: String {
        let milliseconds = duration / .milliseconds(1)
        let whole = Int64(milliseconds.rounded())
        if whole % 1000 != 0 { return "\(whole)ms" }
        let seconds = whole / 1000
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        return seconds != 0 && seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
    }

    /// As printed in `--help`.
    public var defaultValueDescription: String { description }
}
