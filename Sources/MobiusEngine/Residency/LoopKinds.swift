package import MobiusWire

/// The kinds of loops of a coordinator of several programs, each with the most loops that it may have; empty for one program.
public struct LoopKinds: Equatable, Sendable {
    /// One of them.
    package struct Kind: Equatable, Sendable {
        package let name: String
        /// The most loops, ended ones that are kept included; `nil` for no limit of its own.
        package let limit: Int?

        package init(_ name: String, limit: Int? = nil) {
            (self.name, self.limit) = (name, limit)
        }

        /// Whether a loop is of this kind: the name before its first slash.
        fileprivate func includes(_ loop: LoopID) -> Bool {
            let (own, whole) = (name.utf8, loop.name.utf8)
            guard whole.starts(with: own) else { return false }
            let rest = whole.dropFirst(own.count)
            return rest.first.map { $0 == UInt8(ascii: "/") } ?? true
        }
    }

    package let all: [Kind]

    package init(_ all: [Kind] = []) {
        self.all = all
    }

    package var isEmpty: Bool { all.isEmpty }

    /// The place of a loop's kind; `nil` when it is of none of them.
    package func index(of loop: LoopID) -> Int? { all.firstIndex { $0.includes(loop) } }
}

/// The loops of one kind.
package struct KindCount: Equatable, Sendable {
    package let kind: String
    /// Those in memory, idle and held ones, and the held ones among them.
    package var loops: Int
    package var held: Int
    /// Those that count for limits: ended ones, too.
    package var kept: Int

    package init(kind: String, loops: Int = 0, held: Int = 0, kept: Int = 0) {
        (self.kind, self.loops, self.held, self.kept) = (kind, loops, held, kept)
    }
}

/// Counts loops by kind; without kinds it counts nothing.
struct KindTally: Equatable, Sendable {
    let kinds: LoopKinds
    private(set) var counts: [Int]

    init(_ kinds: LoopKinds) {
        self.kinds = kinds
        counts = Array(repeating: 0, count: kinds.all.count)
    }

    mutating func add(_ loop: LoopID, _ number: Int = 1) {
        guard !counts.isEmpty, let kind = kinds.index(of: loop) else { return }
        counts[kind] += number
    }

    mutating func add(_ more: [Int]) {
        for (kind, number) in zip(counts.indices, more) { counts[kind] += number }
    }
}
