import MobiusEngine

/// The reason why a handler could not carry out its effect, as it is sent.
package struct HandlerFailure: Hashable, Sendable, CustomStringConvertible {
    /// The reason, a sentence for people; at most 1,024 characters.
    package let reason: String
    /// Whether another attempt may succeed.
    package let retryable: Bool
    /// The pause before the next attempt in milliseconds; 0 leaves it to the policy.
    package let delay: UInt32

    package init(_ reason: String, retryable: Bool = false, delay: UInt32 = 0) {
        self.reason = String(reason.prefix(1024))
        self.retryable = retryable
        self.delay = delay
    }

    /// Converts an error that a handler threw; errors other than ``EffectFailed`` are retryable.
    init(_ error: any Error) {
        guard let failed = error as? EffectFailed else {
            self.init(Self.describe(error), retryable: true)
            return
        }
        // A pause of zero becomes 1 ms: 0 would leave it to the policy.
        let delay = failed.after.map { max(1, $0.wireMilliseconds) } ?? 0
        self.init(failed.reason, retryable: failed.retryable, delay: delay)
    }

    package var description: String { reason }

    /// Type and description; for coding errors of the standard library, which hold values, type and coding path.
    private static func describe(_ error: any Error) -> String {
        let type = String(reflecting: type(of: error))
        let path: [any CodingKey]
        switch error {
        case EncodingError.invalidValue(_, let context): path = context.codingPath
        case let error as DecodingError: path = error.path
        default: return "\(type): \(error)"
        }
        let place = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return place.isEmpty ? type : "\(type) at \(place)"
    }
}

extension DecodingError {
    fileprivate var path: [any CodingKey] {
        switch self {
        case .dataCorrupted(let context): context.codingPath
        case .keyNotFound(let key, let context): context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context): context.codingPath
        @unknown default: []
        }
    }
}
