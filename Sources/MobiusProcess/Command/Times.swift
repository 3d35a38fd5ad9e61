package import MobiusWire

/// Formats durations and points of time.
package enum Times {
    /// A duration in its two largest units: `250ms`, `12s`, `1m30s`, `3h05m`, `2d04h`.
    package static func span(milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1000
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        switch seconds {
        case 0: return "\(milliseconds)ms"
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m\(two(seconds % 60))s"
        case ..<86_400: return "\(seconds / 3600)h\(two(seconds / 60 % 60))m"
        default: return "\(seconds / 86_400)d\(two(seconds / 3600 % 24))h"
        }
    }

    /// A point of time as `2026-03-01T12:00:00Z`, in UTC; optionally with milliseconds.
    package static func point(_ time: WallTime, milliseconds: Bool = false) -> String {
        let text = time.text
        return milliseconds ? text : text.dropLast(".000Z".count) + "Z"
    }
}
