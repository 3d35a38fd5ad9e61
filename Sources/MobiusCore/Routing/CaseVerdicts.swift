public import Synchronization

/// Caches which `routeCase` route takes which case, by the case's tag.
///
/// It may be used from any thread and needs no lock: the entry of a case is one word.
// Unchecked: the words are atomic and lie behind a pointer that never changes.
@usableFromInline
final class CaseVerdicts: @unchecked Sendable {
    /// The route that takes a case.
    @usableFromInline
    struct Verdict: Sendable {
        /// 0 for an unknown case, 1 for a case without exactly one route; otherwise the route's index and whether the
        /// payload is indirect, above a set bit.
        @usableFromInline let word: UInt

        @usableFromInline
        init(word: UInt) {
            self.word = word
        }

        /// Exactly this route.
        init(route index: Int, isIndirect: Bool) {
            word = UInt(index) << 3 | (isIndirect ? 4 : 0) | 2
        }

        static var unknown: Verdict { Verdict(word: 0) }
        static var notOne: Verdict { Verdict(word: 1) }

        /// The one route that takes the case.
        @inlinable var route: Int? { word & 2 == 0 ? nil : Int(word >> 3) }
        @inlinable var isIndirect: Bool { word & 4 != 0 }
    }

    @usableFromInline let words: UnsafeMutablePointer<Atomic<UInt>>
    private let count: Int

    init(cases: Int) {
        count = cases
        words = .allocate(capacity: cases)
        for tag in 0..<cases { (words + tag).initialize(to: Atomic(Verdict.unknown.word)) }
    }

    deinit {
        words.deinitialize(count: count)
        words.deallocate()
    }

    /// The verdict on a case, if it is known.
    @inlinable
    func verdict(on tag: Int) -> Verdict {
        Verdict(word: words[tag].load(ordering: .relaxed))
    }

    /// Stores the verdict on a case; concurrent threads store the same value.
    func keep(_ verdict: Verdict, on tag: Int) {
        words[tag].store(verdict.word, ordering: .relaxed)
    }
}
