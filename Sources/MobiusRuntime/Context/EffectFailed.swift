/// What a handler throws to say that it could not do what was asked.
///
/// It ends the attempt. The route's retry policy decides what follows: another attempt after a pause, here or in another
/// worker, or the end of the effect, which the loop hears of by its route's `onFailure`.
///
/// ```swift
/// guard response.status != 503 else { throw EffectFailed("the shop is closed", after: .seconds(60)) }
/// guard response.status != 404 else { throw EffectFailed("no such order", retryable: false) }
/// ```
public struct EffectFailed: Error, Hashable, CustomStringConvertible {
    /// Why, in a sentence for people; what is longer than 1,024 bytes of UTF-8 is cut when it is sent.
    ///
    /// It stands in logs and in lists of dead letters, so it should hold no secrets.
    public var reason: String
    /// Whether another attempt may do better.
    public var retryable: Bool
    /// How long to wait before that, instead of the pause that the route's policy would choose; at most 49 days.
    public var after: Duration?

    /// Describes a failure that may pass, unless `retryable` says otherwise.
    public init(_ reason: String, retryable: Bool = true, after: Duration? = nil) {
        self.reason = reason
        self.retryable = retryable
        self.after = after
    }

    /// The reason.
    public var description: String { reason }
}
