/// The request with which a customer places an order.
public struct Request: Codable, Sendable, Equatable {
    /// The customer, who orders and pays.
    public var customer: String
    /// The article, as in the ``Catalog``.
    public var article: String
    /// The number of pieces: 1 to 100.
    public var quantity: Int
    /// The city to which the parcel goes.
    public var city: String

    /// Makes a request.
    public init(customer: String, article: String, quantity: Int, city: String) {
        self.customer = customer
        self.article = article
        self.quantity = quantity
        self.city = city
    }
}

/// What is ordered, and for how much.
///
/// It has no number of its own: an order is known everywhere by the name of its loop, which no sender can choose wrongly.
public struct Purchase: Codable, Sendable, Equatable {
    /// The request that was accepted.
    public var request: Request
    /// The price in cents, as of the day on which the order was placed.
    public var amount: Int

    /// Makes a purchase.
    public init(_ request: Request, amount: Int) {
        self.request = request
        self.amount = amount
    }
}

/// The answer to a customer whose order was accepted.
public struct Receipt: Codable, Sendable, Equatable {
    /// The price of the order, in cents.
    public var amount: Int

    /// Makes a receipt.
    public init(amount: Int) {
        self.amount = amount
    }
}

/// A parcel on its way.
public struct Parcel: Codable, Sendable, Equatable {
    /// The number under which it can be traced.
    public var number: Int
    /// The day on which it left, such as `2027-01-15`.
    ///
    /// The shipping worker knows it; `update` may not look at a clock.
    public var day: String

    /// Makes a parcel.
    public init(number: Int, day: String) {
        self.number = number
        self.day = day
    }
}

/// A step of an order that a worker takes, as in ``Order/Effect``.
public enum Step: String, Codable, Sendable, Equatable, CaseIterable {
    /// Goods are set aside.
    case reserve
    /// A reservation is undone.
    case release
    /// The customer pays.
    case charge
    /// A payment is returned.
    case refund
    /// The parcel is sent.
    case ship
    /// The parcel is kept from leaving.
    case recall
}

/// The articles of the shop.
public enum Catalog {
    /// The price of each article, in cents.
    public static let prices = ["tea": 450, "cup": 1_200, "kettle": 3_900]

    /// The purchase that a request makes, or why it makes none.
    static func purchase(for request: Request) -> (purchase: Purchase?, objection: String) {
        guard let price = prices[request.article] else {
            return (nil, "The shop does not sell that: choose \(prices.keys.sorted().joined(separator: ", ")).")
        }
        guard (1...100).contains(request.quantity) else { return (nil, "An order is for 1 to 100 pieces.") }
        guard [request.customer, request.city].allSatisfy({ (1...100).contains($0.utf8.count) }) else {
            return (nil, "The names of customer and city have 1 to 100 bytes.")
        }
        return (Purchase(request, amount: price * request.quantity), "")
    }
}
