/// The state of one address.
struct AddressRecord: Sendable, Equatable {
    enum State: UInt8, Sendable {
        /// Not requested yet.
        case new
        /// Waits for the end of a level, which decides whether it is crawled; its answer may be known: a redirect.
        case candidate
        case queued
        /// Requested.
        case inFlight
        /// A server answered.
        case answered
        /// The request failed; the status contains the reason.
        case failed
        /// `robots.txt` forbids the request.
        case disallowed
        /// On another origin, which was not to be checked.
        case external
    }

    /// Needs and results.
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        /// A document link leads here: its anchors are wanted.
        static let isDocument = Flags(rawValue: 1)
        /// Its links have to be checked, too.
        static let isCrawled = Flags(rawValue: 2)
        /// It was requested as a page, not only checked.
        static let wasPage = Flags(rawValue: 4)
        /// Its anchors are known.
        static let hasAnchors = Flags(rawValue: 8)
        /// On the origin that is crawled.
        static let isLocal = Flags(rawValue: 16)
    }

    var state = State.new
    var flags: Flags = []
    /// Redirects between the nearest link and here; 255 where no link leads.
    ///
    /// Beyond ten no request is made.
    var hops = UInt8.max
    /// The HTTP status, or the place of the failure in `FetchFailure.allCodes`.
    var status: UInt16 = 0
    /// The number of its content type.
    var type: Int16 = -1
    /// The target of its redirect; -1 without one.
    var target: Int32 = -1
    /// The first of the links that wait for its answer; -1 for none.
    var waiting: Int32 = -1
    /// Its host; -1 before it is queued.
    var host: Int32 = -1
    /// The range of its anchors among all anchors.
    var anchorStart: Int32 = 0
    var anchorCount: Int32 = 0

    /// Whether further links cannot change its needs: it is linked directly, and as a document.
    var isWanted: Bool { hops == 0 && flags.contains(.isDocument) }

    /// Whether no further answer is expected.
    var isSettled: Bool {
        switch state {
        case .new, .candidate, .queued, .inFlight: false
        case .answered, .failed, .disallowed, .external: true
        }
    }
}

extension AddressRecord {
    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        guard let state = State(rawValue: try reader.number()) else { throw PackedReader.Damaged() }
        self.state = state
        flags = Flags(rawValue: try reader.number())
        hops = try reader.number()
        status = try reader.number()
        type = try reader.number()
        target = try reader.number()
        waiting = try reader.number()
        host = try reader.number()
        anchorStart = try reader.number()
        anchorCount = try reader.number()
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(state.rawValue)
        writer.put(flags.rawValue)
        writer.put(hops)
        writer.put(status)
        writer.put(type)
        writer.put(target)
        writer.put(waiting)
        writer.put(host)
        writer.put(anchorStart)
        writer.put(anchorCount)
    }
}
