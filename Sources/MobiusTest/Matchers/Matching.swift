/// A predicate at a place of a test, which fails with what `complaint` answers.
func predicate<T>(_ file: StaticString, _ line: UInt, _ complaint: @escaping (T) -> String?) -> Predicate<T> {
    { complaint($0).map { .failure(message: $0, file: file, line: line) } ?? .success }
}

/// Looks for expected elements among the actual ones.
struct Elements<Element: Equatable> {
    /// Names the elements in messages, such as "effects".
    let nouns: String
    let expected: [Element]
    let actual: [Element]

    /// The error message unless each expected element is among the actual ones, equally often, in any order, possibly
    /// with others.
    var complaintUnlessIncluded: String? {
        let missing = unmatched.missing
        guard !missing.isEmpty else { return nil }
        return sections("Expected \(nouns) are missing", [("missing", missing), ("actual", actual)])
    }

    /// The error message unless both have the same elements equally often, in any order.
    var complaintUnlessSame: String? {
        let (missing, unexpected) = unmatched
        guard !missing.isEmpty || !unexpected.isEmpty else { return nil }
        return sections(
            "The \(nouns) are not those expected", [("missing", missing), ("unexpected", unexpected)])
            + "\n" + difference
    }

    /// The error message unless both have the same elements in the same order.
    var complaintUnlessIdentical: String? {
        guard expected != actual else { return nil }
        guard let complaint = complaintUnlessSame else {
            return "The \(nouns) are those expected, in another order.\n" + difference
        }
        return complaint
    }

    /// The elements that only one side has; each counts as often as it occurs.
    private var unmatched: (missing: [Element], unexpected: [Element]) {
        var unexpected = actual
        let missing = expected.filter { element in
            guard let index = unexpected.firstIndex(of: element) else { return true }
            unexpected.remove(at: index)
            return false
        }
        return (missing, unexpected)
    }

    private var difference: String {
        Difference(expected: expected, actual: actual).description
    }

    private func sections(_ title: String, _ sections: [(name: String, elements: [Element])]) -> String {
        let lines = sections.filter { !$0.elements.isEmpty || $0.name == "actual" }.map { section in
            ValueText(section.elements).named(section.name)
        }
        return ([title + ":"] + lines).joined(separator: "\n")
    }
}
