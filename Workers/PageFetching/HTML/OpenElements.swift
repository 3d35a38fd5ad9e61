/// The part of a page's tree that a tokenizer needs: whether a tag stands in SVG or MathML, and in which templates.
///
/// Only the elements that matter are followed. So some broken pages are read differently from the standard, which would
/// know that an end tag has no start tag.
struct OpenElements {
    private struct Entry {
        var element: HTMLElement
        /// Whether its children are of SVG or MathML.
        var holdsForeign: Bool
        var isInert = false
        /// The number of elements that seem to be open in it.
        var depth = 0
    }

    private var entries: [Entry] = []
    private var templates = 0
    private var inert = 0

    var isInert: Bool { inert > 0 }

    /// Whether `<![CDATA[` begins a section: where the innermost element is one of SVG or MathML.
    var allowsCDATA: Bool {
        guard let last = entries.last, last.element != .template else { return false }
        return last.holdsForeign || last.depth == 0
    }

    /// Notes a start tag; whether it is an element of SVG or MathML.
    mutating func start(_ tag: HTMLTag) -> Bool {
        if let last = entries.last, last.holdsForeign {
            if startForeign(tag, in: last.element) { return true }
            leaveForeign()
        }
        switch tag.element {
        case .svg, .math:
            if tag.isSelfClosing == false { entries.append(Entry(element: tag.element ?? .svg, holdsForeign: true)) }
            return true
        case .template:
            let isInert = tag.written("shadowrootmode") == nil
            entries.append(Entry(element: .template, holdsForeign: false, isInert: isInert))
            templates += 1
            inert += isInert ? 1 : 0
        default:
            if entries.isEmpty == false { entries[entries.count - 1].depth += 1 }
        }
        return false
    }

    /// Notes an end tag.
    mutating func end(_ tag: HTMLTag) {
        guard let last = entries.last else { return }
        if tag.element == .template, templates > 0 {
            while popLast() != .template {}
        } else if tag.element == last.element {
            popLast()
        } else if last.element == .annotationXML, tag.element == .math {
            popLast()
            popLast()
        } else if last.holdsForeign {
            if Self.breaksOut(tag) || Self.containers.contains(tag.name) { leaveForeign() }
        } else {
            entries[entries.count - 1].depth -= last.depth > 0 ? 1 : 0
        }
    }

    @discardableResult
    private mutating func popLast() -> HTMLElement? {
        guard let last = entries.popLast() else { return .template }
        if last.element == .template { templates -= 1 }
        if last.isInert { inert -= 1 }
        return last.element
    }

    /// Ends SVG or MathML, up to the HTML element around it.
    private mutating func leaveForeign() {
        while entries.last?.holdsForeign == true { popLast() }
    }
}

// MARK: - SVG and MathML

extension OpenElements {
    /// Notes a start tag in SVG or MathML; `false` when it is one of HTML after all.
    private mutating func startForeign(_ tag: HTMLTag, in parent: HTMLElement) -> Bool {
        if Self.breaksOut(tag) { return false }
        if tag.isSelfClosing { return true }
        switch (parent, tag.element) {
        case (.svg, .svg), (.math, .math), (.annotationXML, .svg):
            entries.append(Entry(element: tag.element ?? .svg, holdsForeign: true))
        case (.svg, .desc), (.svg, .foreignObject), (.svg, .title), (.math, .mi), (.math, .mn), (.math, .mo),
            (.math, .ms),
            (.math, .mtext):
            entries.append(Entry(element: tag.element ?? .desc, holdsForeign: false))
        case (.math, .annotationXML):
            let encoding = tag["encoding"]?.lowercasedASCII
            let holdsHTML = encoding == "text/html" || encoding == "application/xhtml+xml"
            entries.append(Entry(element: .annotationXML, holdsForeign: holdsHTML == false))
        default: break
        }
        return true
    }

    /// Whether no SVG or MathML goes on behind this tag (13.2.6.5 of the standard).
    private static func breaksOut(_ tag: HTMLTag) -> Bool {
        let name = tag.name
        if name == "font", tag.isEnd == false {
            return tag.written("color") != nil || tag.written("face") != nil || tag.written("size") != nil
        }
        return htmlOnly.contains(name)
    }

    private static let htmlOnly: Set<String> = [
        "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2",
        "h3",
        "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby",
        "s",
        "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var",
    ]

    /// Others whose end, in SVG that nobody closed, is that of an element around it.
    private static let containers: Set<String> = [
        "article", "aside", "button", "figure", "footer", "form", "header", "label", "main", "nav", "section", "td",
        "th",
        "tr",
    ]
}
