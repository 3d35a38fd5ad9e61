/// The error that a handler throws when it could not carry out its effect.
///
/// It ends the attempt. The route's retry policy decides what follows: another attempt after a pause, in this worker or
/// another one, or the end of the effect, which the loop receives through its route's `onFailure`.
///
/// ```swift
/// guard response.status != 503 else { throw EffectFailed("the shop is closed", after: .seconds(60)) }
/// guard response.status != 404 else { throw EffectFailed("no such order", retryable: false) }
/// ```
public struct EffectFailed: Error, Hashable, CustomStringConvertible {
    /// The reason, a sentence for people; it is cut to 1,024 bytes of UTF-8 when it is sent.
    ///
    /// It appears in logs and in lists of dead letters, so it should hold no secrets.
    public var reason: String
    /// Whether another attempt may succeed.
    public var retryable: Bool
    /// The pause before the next attempt, instead of the one that the route's policy would choose.
    ///
    /// A longer one than the policy's `longestNamed` is shortened to that: to a day, unless the route says otherwise. 49 days
    /// are the most that can be sent.
    public var after: Duration?

    /// Describes a failure; another attempt may succeed unless `retryable` is `false`.
    public init(_ reason: String, retryable: Bool = true, after: Duration? = nil) {
        self.reason = reason
        self.retryable = retryable
        self.after = after
    }

    /// The reason.
    public var description: String { reason }
}
