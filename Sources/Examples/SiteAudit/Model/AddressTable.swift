/// All known addresses, by number: a URL is stored and hashed once, and referred to by its number.
struct AddressTable: Sendable {
    private var urls = TextArena()
    private var index = AddressIndex()
    var records: [AddressRecord] = []
    /// Content types by number; a site has a handful.
    private(set) var types: [String] = []
    /// FNV-1a hashes of anchors, sorted page by page.
    private var anchors: [UInt64] = []
    /// The fragments that redirects lead to, by the number of the address that redirects.
    var redirectFragments: [Int32: String] = [:]

    var count: Int { urls.count }

    /// The number of `url`, a new one for a new URL.
    mutating func number(of url: String) -> Int32 {
        let hash = AddressIndex.hash(url)
        return find(url, hash) ?? add(url, hash)
    }

    /// The numbers of `urls`, new ones for new URLs: faster than one by one.
    mutating func numbers(of urls: [String]) -> [Int32] {
        // Small loops, so that the memory accesses of all look-ups overlap.
        let hashes = urls.map(AddressIndex.hash)
        var guesses = hashes.map { index.candidate($0, from: index.start($0))?.number ?? -1 }
        for position in guesses.indices where guesses[position] >= 0 {
            let isLikely = self.urls.length(Int(guesses[position])) == urls[position].utf8.count
            if isLikely == false { guesses[position] = -1 }
        }
        for (position, url) in urls.enumerated() {
            let guess = guesses[position]
            if guess >= 0, self.urls.isEqual(Int(guess), to: url) { continue }
            let hash = hashes[position]
            guesses[position] = find(url, hash) ?? add(url, hash)
        }
        return guesses
    }

    /// The number of `url`, if it is known.
    func known(_ url: String) -> Int32? { find(url, AddressIndex.hash(url)) }

    private func find(_ url: String, _ hash: UInt32) -> Int32? {
        var place = index.start(hash)
        while let (number, next) = index.candidate(hash, from: place) {
            if urls.isEqual(Int(number), to: url) { return number }
            place = next
        }
        return nil
    }

    private mutating func add(_ url: String, _ hash: UInt32) -> Int32 {
        let number = Int32(urls.count)
        index.insert(number, hash: hash)
        urls.append(url)
        records.append(AddressRecord())
        return number
    }

    func url(_ number: Int32) -> String { urls[Int(number)] }

    /// Whether a URL begins with `prefix`, without making a string of it.
    func hasPrefix(_ number: Int32, _ prefix: String) -> Bool { urls.hasPrefix(Int(number), prefix) }

    subscript(_ number: Int32) -> AddressRecord {
        get { records[Int(number)] }
        _modify { yield &records[Int(number)] }
    }

    func type(of number: Int32) -> String? {
        let type = self[number].type
        return type < 0 ? nil : types[Int(type)]
    }

    mutating func setType(_ type: String?, of number: Int32) {
        guard let type else { return self[number].type = -1 }
        if let index = types.firstIndex(of: type) { return self[number].type = Int16(index) }
        // A server with many invented content types must not slow each event down.
        guard types.count < 256 else { return self[number].type = -1 }
        types.append(type)
        self[number].type = Int16(types.count - 1)
    }

    mutating func setAnchors(_ names: [String], of number: Int32) {
        var hashes: [UInt64] = []
        hashes.reserveCapacity(names.count)
        for name in names {
            hashes.append(Fragment.hash(name))
            // Some generators write encoded ids, which browsers match, too.
            if name.utf8.contains(UInt8(ascii: "%")) {
                let decoded = String(decoding: PercentCoding.decode(name.utf8), as: UTF8.self)
                hashes.append(Fragment.hash(decoded))
            }
        }
        hashes.sort()
        self[number].anchorStart = Int32(anchors.count)
        self[number].anchorCount = Int32(hashes.count)
        self[number].flags.insert(.hasAnchors)
        anchors.append(contentsOf: hashes)
    }

    func hasAnchor(_ fragment: String, at number: Int32) -> Bool {
        let hash = Fragment.hash(fragment)
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

extension AddressTable: Equatable {
    /// Compares everything but the index, which differs between processes.
    static func == (one: AddressTable, other: AddressTable) -> Bool {
        one.urls == other.urls && one.records == other.records && one.types == other.types
            && one.anchors == other.anchors
            && one.redirectFragments == other.redirectFragments
    }
}

extension AddressTable: PackedCodable {
    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        let texts = try reader.array { reader throws(PackedReader.Damaged) in try reader.text() }
        records = try reader.array { reader throws(PackedReader.Damaged) in try AddressRecord(from: &reader) }
        types = try reader.array { reader throws(PackedReader.Damaged) in try reader.text() }
        anchors = try reader.array { reader throws(PackedReader.Damaged) in try reader.wide() }
        let keys = try reader.array { reader throws(PackedReader.Damaged) in try reader.number(Int32.self) }
        for key in keys { redirectFragments[key] = try reader.text() }
        guard records.count == texts.count else { throw PackedReader.Damaged() }
        for (number, url) in texts.enumerated() {
            urls.append(url)
            index.insert(Int32(number), hash: AddressIndex.hash(url))
        }
        for record in records {
            let anchorEnd = Int(record.anchorStart) + Int(record.anchorCount)
            guard record.target < Int32(urls.count), Int(record.type) < types.count, record.anchorStart >= 0,
                record.anchorCount >= 0, anchorEnd <= anchors.count
            else { throw PackedReader.Damaged() }
        }
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(0..<urls.count) { $1.put(urls[$0]) }
        writer.put(records) { $0.pack(into: &$1) }
        writer.put(types) { $1.put($0) }
        writer.put(anchors) { $1.put(wide: $0) }
        // In the order of their keys, because equal models must give equal bytes.
        let sorted = redirectFragments.keys.sorted()
        writer.put(sorted) { $1.put($0) }
        for key in sorted { writer.put(redirectFragments[key] ?? "") }
    }
}
