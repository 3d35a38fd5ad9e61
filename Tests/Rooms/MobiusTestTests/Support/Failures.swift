import MobiusTest

/// A fail function that keeps what is reported.
final class Failures {
    private(set) var messages: [String] = []
    private(set) var lines: [UInt] = []

    func record(_ message: String, _ file: StaticString, _ line: UInt) {
        messages.append(message)
        lines.append(line)
    }
}

extension PredicateResult {
    /// The message; `nil` for a success.
    var message: String? {
        switch self {
        case .success: nil
        case .failure(let message, _, _): message
        }
    }
}
