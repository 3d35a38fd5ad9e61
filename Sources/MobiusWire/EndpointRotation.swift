/// Decides at which endpoint a peer of several coordinators tries next; it is pure, and takes no time.
///
/// The list holds the front doors; MOVED adds the owner's endpoint, which is forgotten as soon as it leads nowhere.
package struct EndpointRotation: Equatable, Sendable {
    /// The time that a peer waits before it goes on.
    package enum Pause: Equatable, Sendable {
        /// Not at all.
        case none
        /// For 100 to 250 ms, at random.
        case short
    }

    /// The reason why a peer leaves an endpoint.
    package enum Leaving: Equatable, Sendable {
        /// The owner was reached there, and was lost just now.
        case lost
        /// There is no connection, or the coordinator is not the owner.
        case refused
        /// Nothing was answered in time.
        case silent
    }

    /// The number of MOVED that are followed in a row: coordinators that name one another lead nowhere.
    package static let maximumHops = 3

    /// The front doors, in the order in which they are tried; empty where the transport knows its only endpoint.
    package let doors: [String]
    /// The owner's endpoint, from the newest MOVED.
    package private(set) var owner: String?
    /// Whether there may be several coordinators: the list has several front doors, or a MOVED came.
    package private(set) var isCluster: Bool
    private var position = 0
    private var hops = 0
    /// The number of front doors that may still be tried without a pause: each once after the owner was lost.
    private var eager = 0
    /// The number of times in a row that an owner's endpoint was silent.
    private var silences = 0

    /// A rotation that begins at the first front door.
    package init(_ doors: [String] = []) {
        self.doors = doors
        isCluster = doors.count > 1
    }

    /// The endpoint to connect to; `nil` for the transport's only endpoint.
    package var endpoint: String? { owner ?? (doors.isEmpty ? nil : doors[position]) }

    /// The time to wait for success at an endpoint: 1 s, and up to 4 s for an owner that is too slow again and again.
    package var patience: Duration { .seconds(owner == nil ? 1 : 1 << min(2, silences / 6)) }

    /// The pause as a duration, drawn from 64 random bits.
    package static func duration(of pause: Pause, drawing bits: UInt64) -> Duration {
        switch pause {
        case .none: .zero
        case .short: .milliseconds(100) + .microseconds(Int64(bits % 150_001))
        }
    }

    /// Success: the coordinator at the endpoint is the owner.
    package mutating func reached() {
        hops = 0
        eager = 0
        silences = 0
    }

    /// The coordinator answered MOVED: goes to the endpoint that it named, or on to the next front door.
    package mutating func move(to endpoint: String?) -> Pause {
        isCluster = true
        guard let endpoint, hops < Self.maximumHops else { return goOn(.refused) }
        owner = endpoint
        hops += 1
        return hops > 1 ? .short : .none
    }

    /// Forgets the owner and goes on to the next front door.
    package mutating func goOn(_ leaving: Leaving) -> Pause {
        if leaving == .silent, owner != nil { silences = min(silences + 1, 1 << 10) }
        owner = nil
        hops = 0
        if doors.count > 1 { position = (position + 1) % doors.count }
        switch leaving {
        case .lost: eager = max(0, doors.count - 1)
        case .refused where eager > 0: eager -= 1
        case .refused, .silent: return .short
        }
        return .none
    }

    /// The endpoints of a list with commas, in their order and without repetitions.
    ///
    /// A comma in the path of an `ipc` endpoint separates only where another endpoint follows.
    package static func endpoints(in list: String) -> [String] {
        var endpoints: [String] = []
        for piece in list.split(separator: ",", omittingEmptySubsequences: false) {
            let text = trimmed(piece)
            if let last = endpoints.last, last.hasPrefix("ipc://"), !text.contains("://"), !text.isEmpty {
                endpoints[endpoints.count - 1] = last + "," + piece
            } else if !text.isEmpty {
                endpoints.append(String(text))
            }
        }
        guard !endpoints.isEmpty else { return [list] }
        var known: Set<String> = []
        return endpoints.filter { known.insert($0).inserted }
    }

    /// Returns the fault of one of several endpoints, in a clause; `nil` if there is none.
    ///
    /// A single endpoint is checked by the socket, which has to be told at once that it can never work, too.
    package static func problem(in endpoints: [String]) -> String? {
        guard endpoints.count > 1, let wrong = endpoints.first(where: { !Moved.isPossible(endpoint: $0) }) else {
            return nil
        }
        return "'\(wrong)' in the list of endpoints must be tcp://HOST:PORT or ipc:///ABSOLUTE/PATH"
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
