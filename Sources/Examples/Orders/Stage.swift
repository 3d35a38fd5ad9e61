/// The stage of an order.
public enum Stage: Codable, Sendable, Equatable {
    /// The goods are being set aside.
    case reserving
    /// The customer is being charged.
    case charging
    /// The parcel is being sent: too late to cancel.
    case shipping
    /// Nobody knows whether the parcel has left, so it is being called back; the text tells why.
    case recalling(String)
    /// Earlier steps are being undone.
    case undoing(Undoing)
    /// The parcel has left. This is the good end.
    case delivered(Parcel)
    /// Nothing is reserved and nothing is paid. This is every other end.
    case closed(Ending)

    /// Whether nothing more happens to the order.
    public var isEnd: Bool {
        switch self {
        case .delivered, .closed: true
        case .reserving, .charging, .shipping, .recalling, .undoing: false
        }
    }
}

/// The reason why an order is not delivered.
public enum Ending: Codable, Sendable, Equatable {
    /// The customer cancelled it.
    case cancelled
    /// There were not enough goods.
    case outOfStock
    /// The payment was refused, and why.
    case declined(String)
    /// The payment took too long.
    case paymentTimedOut
    /// The parcel cannot be sent there, and why.
    case undeliverable(String)
    /// The workers could not do this step, and why.
    case failed(Step, String)
}

/// Steps that are being undone, all at once.
public struct Undoing: Codable, Sendable, Equatable {
    /// Why.
    public var ending: Ending
    /// Whether the reservation is not undone yet.
    public var awaitsRelease: Bool
    /// Whether the payment is not returned yet.
    public var awaitsRefund: Bool
    /// The reason why it does not go on: workers have failed, and an operator must retry the dead letter.
    public var trouble: String?

    /// Describes what is left to be undone.
    public init(_ ending: Ending, awaitsRelease: Bool = true, awaitsRefund: Bool, trouble: String? = nil) {
        self.ending = ending
        self.awaitsRelease = awaitsRelease
        self.awaitsRefund = awaitsRefund
        self.trouble = trouble
    }
}
