/// Links whose targets have not answered yet: one chain per target through one array, whose free places are used again.
struct WaitingLinks: Sendable, Equatable {
    private struct Place: Sendable, Equatable {
        var link: LinkRecord
        /// The next in the chain of a target, or of the free places; -1 at the end.
        var next: Int32
    }

    private var places: [Place] = []
    private var free: Int32 = -1
    private(set) var count = 0

    /// Puts `link` in front of the chain that begins at `head`.
    mutating func add(_ link: LinkRecord, before head: inout Int32) {
        count += 1
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

    /// What comes after a place in its chain; -1 at the end.
    func next(after index: Int32) -> Int32 { index < 0 ? -1 : places[Int(index)].next }

    /// Takes the first link of the chain off; `nil` at its end.
    mutating func take(from head: inout Int32) -> LinkRecord? {
        guard head >= 0 else { return nil }
        let index = head
        let link = places[Int(index)].link
        head = places[Int(index)].next
        places[Int(index)].next = free
        places[Int(index)].link.fragment = nil
        free = index
        count -= 1
        return link
    }
}

extension WaitingLinks: PackedCodable {
    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        count = try reader.number()
        free = try reader.number()
        places = try reader.array { reader throws(PackedReader.Damaged) in
            Place(link: try LinkRecord(from: &reader), next: try reader.number())
        }
        guard places.allSatisfy({ $0.next < Int32(places.count) }), free < Int32(places.count) else {
            throw PackedReader.Damaged()
        }
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(count)
        writer.put(free)
        writer.put(places) { place, writer in
            place.link.pack(into: &writer)
            writer.put(place.next)
        }
    }
}
