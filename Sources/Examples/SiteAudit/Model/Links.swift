/// One link that waits for its target's answer, or has to be reported; a flat record of numbers, for ``Packed``.
struct LinkRecord: BitwiseCopyable, Sendable, Equatable {
    /// The use of the link, which decides what content types are right.
    enum Use: Int32 {
        // In this order, so that uses with the same faults stand together in a report.
        case document, other, image, script, stylesheet

        init(_ kind: FetchedLink.Kind) {
            switch kind {
            case .document: self = .document
            case .image: self = .image
            case .script: self = .script
            case .stylesheet: self = .stylesheet
            case .other: self = .other
            }
        }

        /// Whether a page behind it is fetched as one, and its fragment must exist there.
        var leadsToDocument: Bool { self == .document || self == .other }
    }

    /// The number of its page.
    var page: Int32
    var line: Int32
    /// The number of the address that it leads to; -1 when it is no valid URL.
    var target: Int32
    /// The number of the decoded fragment, or of the written text of an invalid link; -1 without one.
    var fragment: Int32
    private var rawUse: Int32

    var use: Use { Use(rawValue: rawUse) ?? .other }

    init(page: Int32, line: Int, target: Int32, fragment: Int32, use: Use) {
        self.page = page
        self.line = Int32(clamping: line)
        self.target = target
        self.fragment = fragment
        rawUse = use.rawValue
    }
}

/// Links whose targets have not answered yet: one chain per target through one array, whose free places are used again.
struct WaitingLinks: Codable, Sendable, Equatable {
    private struct Place: BitwiseCopyable, Sendable, Equatable {
        var link: LinkRecord
        /// The next in the chain of a target, or of the free places; -1 at the end.
        var next: Int32
    }

    @Packed private var places: [Place] = []
    private var free: Int32 = -1

    /// Puts `link` in front of the chain that begins at `head`.
    mutating func add(_ link: LinkRecord, before head: inout Int32) {
        let place = Place(link: link, next: head)
        if free >= 0 {
            head = free
            free = places[Int(free)].next
            places[Int(head)] = place
        } else {
            head = Int32(places.count)
            places.append(place)
        }
    }

    /// Returns the index after `index` in its chain; -1 at the end.
    func next(after index: Int32) -> Int32 { index < 0 ? -1 : places[Int(index)].next }

    /// Removes and returns the first link of the chain, or `nil` at its end.
    mutating func pop(from head: inout Int32) -> LinkRecord? {
        guard head >= 0 else { return nil }
        let index = head
        head = places[Int(index)].next
        places[Int(index)].next = free
        free = index
        return places[Int(index)].link
    }
}
