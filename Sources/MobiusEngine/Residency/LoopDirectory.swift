package import MobiusWire

/// The names of all loops, ordered byte by byte, in chunks: so that a page of a million loops costs what the page costs.
package struct LoopDirectory: Equatable, Sendable {
    /// A full chunk is split in two.
    private static let chunk = 512

    private var chunks: [[LoopID]] = []
    package private(set) var count = 0

    package init() {}

    /// Adds a name; returns whether it was not there.
    @discardableResult
    package mutating func insert(_ loop: LoopID) -> Bool {
        guard !chunks.isEmpty else {
            chunks = [[loop]]
            count = 1
            return true
        }
        let (chunk, index) = place(of: loop)
        guard index == chunks[chunk].count || chunks[chunk][index] != loop else { return false }
        chunks[chunk].insert(loop, at: index)
        count += 1
        guard chunks[chunk].count > Self.chunk else { return true }
        // Names are often made in order: then the first half stays as it is, and nearly full.
        let cut = index == Self.chunk ? Self.chunk - 8 : Self.chunk / 2
        let rest = Array(chunks[chunk][cut...])
        chunks[chunk].removeLast(rest.count)
        chunks.insert(rest, at: chunk + 1)
        return true
    }

    /// Removes a name; returns whether it was there.
    @discardableResult
    package mutating func remove(_ loop: LoopID) -> Bool {
        guard !chunks.isEmpty else { return false }
        let (chunk, index) = place(of: loop)
        guard index < chunks[chunk].count, chunks[chunk][index] == loop else { return false }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
        return true
    }

    /// Visits the names behind `after` that begin with `prefix`, in order, until `visit` returns `false`.
    package func visit(prefix: String, after: LoopID?, _ visit: (LoopID) -> Bool) {
        guard !chunks.isEmpty else { return }
        var (chunk, index) = (0, 0)
        if let after, !Self.precedes(after.name, prefix) {
            (chunk, index) = place(of: after)
            if index < chunks[chunk].count, chunks[chunk][index] == after { index += 1 }
        } else if !prefix.isEmpty {
            chunk = self.chunk { Self.precedes($0.name, prefix) }
            index = Self.partition(chunks[chunk].count) { Self.precedes(chunks[chunk][$0].name, prefix) }
        }
        while chunk < chunks.count {
            while index < chunks[chunk].count {
                let loop = chunks[chunk][index]
                guard loop.name.utf8.starts(with: prefix.utf8), visit(loop) else { return }
                index += 1
            }
            (chunk, index) = (chunk + 1, 0)
        }
    }

    /// Returns the place at which the name is, or belongs; within the last chunk that begins with it or before it.
    private func place(of loop: LoopID) -> (chunk: Int, index: Int) {
        let chunk = chunk { !Self.precedes(loop.name, $0.name) }
        return (chunk, Self.partition(chunks[chunk].count) { Self.precedes(chunks[chunk][$0].name, loop.name) })
    }

    /// The last chunk for whose first name the condition holds; otherwise the first chunk.
    private func chunk(_ holds: (LoopID) -> Bool) -> Int {
        // A chunk is never empty.
        max(1, Self.partition(chunks.count) { chunks[$0].first.map(holds) ?? false }) - 1
    }

    /// The number of leading places for which the condition holds; it holds for none behind the first for which it does not.
    private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The order of names: by their bytes.
    static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
