/// The state of one address; a flat record of numbers, for ``Packed``.
struct AddressRecord: BitwiseCopyable, Sendable, Equatable {
    enum State: UInt8 {
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
    struct Flags: OptionSet, BitwiseCopyable, Sendable {
        let rawValue: UInt16
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
        /// It was chosen to be crawled by itself, not in place of an address that redirects here.
        static let hadTurn = Flags(rawValue: 32)
        /// Its redirect changed cookies.
        static let setsCookies = Flags(rawValue: 64)
        /// It answered to HEAD, whose type proves nothing.
        static let wasHead = Flags(rawValue: 128)
        /// It is the second look at the address with the same URL.
        static let isVisit = Flags(rawValue: 256)
    }

    private var rawState: UInt8 = 0
    /// Redirects between the nearest link and here; 255 where no link leads.
    ///
    /// Beyond ten no request is made.
    var hops = UInt8.max
    /// The number of its content type; 255 for none.
    var type = UInt8.max
    /// The reason why its page was not read: the place in `FetchAnswer.Unread.allCases`, from 1; 0 if it was.
    var unread: UInt8 = 0
    var flags: Flags = []
    /// The HTTP status, or the place of the failure in `FetchFailure.allCases`.
    var status: UInt16 = 0
    /// The target of its redirect; -1 without one.
    var target: Int32 = -1
    /// The fragment of that target; -1 without one.
    var fragment: Int32 = -1
    /// The first of the links that wait for its answer; -1 for none.
    var waiting: Int32 = -1
    /// Its host; -1 before it is queued.
    var host: Int32 = -1
    /// The range of its anchors among all anchors.
    var anchorStart: Int32 = 0
    var anchorCount: Int32 = 0

    var state: State {
        get { State(rawValue: rawState) ?? .new }
        set { rawState = newValue.rawValue }
    }

    /// Whether it is a page of the crawled origin, by its links.
    var isPage: Bool { flags.isSuperset(of: [.isDocument, .isLocal]) }

    /// Whether further links cannot change its needs: it is linked directly, and as a document.
    var isWanted: Bool { hops == 0 && flags.contains(.isDocument) }

    /// Whether no further answer is expected.
    var isSettled: Bool {
        switch state {
        case .new, .candidate, .queued, .inFlight: false
        case .answered, .failed, .disallowed, .external: true
        }
    }

    var isSuccess: Bool { state == .answered && 200..<300 ~= status }
}

/// All known addresses, by number.
struct AddressTable: Sendable, Equatable {
    private var urls = TextTable()
    @Packed var records: [AddressRecord] = []
    /// Content types by number; a site has a handful.
    private var types: [String] = []
    /// FNV-1a hashes of anchors, sorted page by page.
    @Packed private var anchors: [UInt64] = []
    /// The fragments of links and redirects, and what authors wrote in place of a URL.
    var fragments = TextTable()
    /// The second looks, by the address.
    private var visits: [Int32: Int32] = [:]

    init() {}

    var count: Int32 { Int32(records.count) }

    subscript(_ number: Int32) -> AddressRecord {
        get { records[Int(number)] }
        _modify { yield &records[Int(number)] }
    }

    // MARK: URLs

    /// The number of `url`, a new one for a new URL.
    mutating func number(of url: String) -> Int32 {
        defer { addRecords() }
        return urls.number(of: url)
    }

    /// The numbers of `urls`, new ones for new URLs: faster than one by one.
    mutating func numbers(of urls: [String]) -> [Int32] {
        defer { addRecords() }
        return self.urls.numbers(of: urls)
    }

    private mutating func addRecords() {
        while records.count < urls.count { records.append(AddressRecord()) }
    }

    /// The number of `url`, if it is known.
    func known(_ url: String) -> Int32? { urls.known(url) }

    func url(_ number: Int32) -> String { urls[number] }

    /// Whether a URL begins with `prefix`, without making a string of it.
    func hasPrefix(_ number: Int32, _ prefix: String) -> Bool { urls.hasPrefix(number, prefix) }

    func contains(_ number: Int32, _ byte: UInt8) -> Bool { urls.bytes(number).contains(byte) }

    /// Compares two URLs by their bytes.
    func precedes(_ one: Int32, _ other: Int32) -> Bool { urls.precedes(one, other) }

    /// The second look at an address, if there is one.
    func knownVisit(of number: Int32) -> Int32? { visits[number] }

    /// The second look at an address: an address of its own, which only links lead to.
    mutating func visit(of number: Int32) -> Int32 {
        if let visit = visits[number] { return visit }
        let visit = urls.addAgain(urls[number])
        addRecords()
        self[visit].flags = .isVisit
        visits[number] = visit
        return visit
    }

    // MARK: Types and anchors

    func type(of number: Int32) -> String? {
        let type = self[number].type
        return type == .max ? nil : types[Int(type)]
    }

    mutating func setType(_ type: String?, of number: Int32) {
        self[number].type = .max
        guard let type else { return }
        if let index = types.firstIndex(of: type) { return self[number].type = UInt8(index) }
        // A server with many invented content types must not slow each event down.
        guard types.count < Int(UInt8.max) else { return }
        self[number].type = UInt8(types.count)
        types.append(type)
    }

    mutating func setAnchors(_ names: [String], of number: Int32) {
        var hashes: [UInt64] = []
        hashes.reserveCapacity(names.count)
        for name in names {
            hashes.append(Fragment.hash(name))
            // Some generators write encoded ids, which browsers match, too.
            if name.utf8.contains(UInt8(ascii: "%")) { hashes.append(Fragment.hash(PercentCoding.decode(name.utf8))) }
        }
        hashes.sort()
        self[number].anchorStart = Int32(anchors.count)
        self[number].anchorCount = Int32(hashes.count)
        self[number].flags.insert(.hasAnchors)
        anchors.append(contentsOf: hashes)
    }

    func hasAnchor(_ fragment: Int32, at number: Int32) -> Bool {
        let hash = Fragment.hash(fragments.bytes(fragment))
        var low = Int(self[number].anchorStart)
        var high = low + Int(self[number].anchorCount)
        while low < high {
            let middle = (low + high) / 2
            if anchors[middle] == hash { return true }
            if anchors[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return false
    }
}

extension AddressTable: Codable {
    private enum CodingKeys: String, CodingKey { case urls, records, types, anchors, fragments }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        urls = try container.decode(TextTable.self, forKey: .urls)
        _records = try container.decode(Packed.self, forKey: .records)
        types = try container.decode([String].self, forKey: .types)
        _anchors = try container.decode(Packed.self, forKey: .anchors)
        fragments = try container.decode(TextTable.self, forKey: .fragments)
        let isSound =
            records.count == urls.count
            && records.allSatisfy { record in
                record.target < count && (record.type == .max || Int(record.type) < types.count)
                    && Int(record.fragment) < fragments.count && record.anchorStart >= 0 && record.anchorCount >= 0
                    && Int(record.anchorStart) + Int(record.anchorCount) <= anchors.count
            }
        guard isSound else {
            throw DecodingError.dataCorruptedError(
                forKey: .records, in: container, debugDescription: "the records do not fit their tables")
        }
        for number in 0..<count where self[number].flags.contains(.isVisit) {
            if let first = urls.known(urls[number]) { visits[first] = number }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(urls, forKey: .urls)
        try container.encode(_records, forKey: .records)
        try container.encode(types, forKey: .types)
        try container.encode(_anchors, forKey: .anchors)
        try container.encode(fragments, forKey: .fragments)
    }
}
