/// One effect to run: a record of EFFECT.
public struct EffectOrder: Hashable, Sendable {
    /// The id of the attempt, with that of its effect.
    public var id: AttemptID
    /// The time limit of the handler, in milliseconds from now; 0 for none.
    public var timeout: UInt32
    /// The W3C trace context, or empty.
    public var traceparent: String
    /// The effect's payload.
    public var effect: Payload

    /// Describes an order.
    public init(id: AttemptID, timeout: UInt32 = 0, traceparent: String = "", effect: Payload) {
        self.id = id
        self.timeout = timeout
        self.traceparent = traceparent
        self.effect = effect
    }
}

/// Names one report of an attempt: a record of ACK.
public struct ReportID: Hashable, Sendable {
    /// The id of the attempt.
    public var attempt: AttemptID
    /// The number of the report in its attempt, from 1.
    public var number: UInt32

    /// Names a report.
    public init(attempt: AttemptID, number: UInt32) {
        self.attempt = attempt
        self.number = number
    }
}

/// A report of a handler: a record of EVENT.
public struct EventReport: Hashable, Sendable {
    /// The id of the report.
    public var id: ReportID
    /// Whether the handler has ended.
    public var final: Bool
    /// The W3C trace context of the attempt, or empty.
    ///
    /// Only to coordinators whose ``Welcome`` says that they take it.
    public var traceparent: String
    /// The event; `nil` only in a final report that brings none.
    public var event: Payload?
}

// Apart, so that there is the one of all members too: one that sets them one by one copies the whole at its end.
extension EventReport {
    /// Describes a report.
    public init(id: ReportID, final: Bool, event: Payload?, traceparent: String = "") {
        self.init(id: id, final: final, traceparent: traceparent, event: event)
    }
}

/// A handler that could not do what was asked: a record of FAIL.
///
/// It ends its attempt.
public struct FailureReport: Hashable, Sendable {
    /// The longest reason, in bytes of UTF-8.
    public static let maximumReason = 1024

    /// The id of the report.
    public var id: ReportID
    /// Whether another attempt may do better.
    public var retryable: Bool
    /// The time to wait before it, in milliseconds.
    public var delay: UInt32
    /// Why, in a sentence for people.
    public var reason: String

    /// Describes a failure; a longer reason is cut.
    public init(id: ReportID, retryable: Bool, delay: UInt32 = 0, reason: String) {
        self.id = id
        self.retryable = retryable
        self.delay = delay
        self.reason = reason.cut(toBytes: Self.maximumReason)
    }
}

/// One attempt that a worker holds: a record of HEARTBEAT, HELLO and DRAINING.
public struct HeldAttempt: Hashable, Sendable {
    /// `progressAge` of a handler that has reported no progress.
    public static let noProgress = UInt32.max

    /// The id of the attempt.
    public var id: AttemptID
    /// Milliseconds since the handler last reported progress, or ``noProgress``.
    public var progressAge: UInt32

    /// Describes a held attempt.
    public init(id: AttemptID, progressAge: UInt32 = HeldAttempt.noProgress) {
        self.id = id
        self.progressAge = progressAge
    }
}
