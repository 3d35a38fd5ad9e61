/// Prometheus' text format, version 0.0.4.
package enum MetricsText {
    /// The content type in HTTP.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The label with what the format does not allow replaced by `_`.
    static func name(_ label: String) -> String {
        var name = ""
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", ":": name.unicodeScalars.append(scalar)
            case "0"..."9": name += name.isEmpty ? "_\(scalar)" : "\(scalar)"
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    /// The instruments' values, families in the order of their names; metrics of a family in that of their dimensions.
    static func write(_ instruments: [MetricsRegistry.Key: any Instrument]) -> String {
        var all = ""
        let families = Dictionary(grouping: instruments) { $0.key.label }
        for (label, members) in families.sorted(by: { $0.key < $1.key }) {
            let readings = members.map { (dimensions: text(of: $0.key.dimensions), reading: $0.value.reading) }
                .sorted { $0.dimensions < $1.dimensions }
            guard let kind = readings.first?.reading.kind else { continue }
            all += "# HELP \(label) \(escaped(FleetMetric(rawValue: label)?.help ?? "A \(kind) of this program."))\n"
            all += "# TYPE \(label) \(kind)\n"
            // A family has one kind; metrics of another kind with its name are not shown.
            for (dimensions, reading) in readings where reading.kind == kind {
                write(label, dimensions, reading, to: &all)
            }
        }
        return all
    }

    private static func write(_ label: String, _ dimensions: String, _ reading: Reading, to text: inout String) {
        func line(_ suffix: String, _ dimensions: String, _ value: String) {
            text += "\(label)\(suffix)\(dimensions.isEmpty ? "" : "{\(dimensions)}") \(value)\n"
        }
        switch reading {
        case .counter(let value), .gauge(let value): line("", dimensions, number(value))
        case .histogram(let bounds, let counts, let count, let sum):
            let comma = dimensions.isEmpty ? "" : dimensions + ","
            for (bound, count) in zip(bounds, counts) {
                line("_bucket", "\(comma)le=\"\(number(bound))\"", "\(count)")
            }
            line("_bucket", "\(comma)le=\"+Inf\"", "\(count)")
            line("_sum", dimensions, number(sum))
            line("_count", dimensions, "\(count)")
        }
    }

    private static func text(of dimensions: [MetricsRegistry.Dimension]) -> String {
        dimensions.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.append(character)
            }
        }
    }

    /// Whole numbers are written without a fraction.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}

extension Reading {
    /// The format's word for the kind.
    var kind: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
