#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads the tags of a page, by the tokenizer of the HTML standard (13.2.5), and nothing else of it.
///
/// There is no tree. What of the tree decides on how text is read (SVG, MathML and templates) is followed by
/// `OpenElements`. Elements hold text as in a browser that runs scripts, but for `noscript`: its links are part of the page.
///
/// The work is linear in the length of the text, whatever it is: each byte is passed a fixed number of times.
package struct HTMLTokenizer {
    private let text: UnsafeBufferPointer<UInt8>
    private let treatsAllAsMarkup: Bool
    private var at = 0
    private var open = OpenElements()

    /// The tag that `next` has read.
    package private(set) var tag: HTMLTag

    /// Whether the tag stands in a template that only scripts use.
    package var isInert: Bool { open.isInert }

    /// Reads `text`, which must outlive the tokenizer.
    ///
    /// - Parameter treatsAllAsMarkup: finds tags in scripts and the like, too.
    package init(_ text: UnsafeBufferPointer<UInt8>, treatsAllAsMarkup: Bool = false) {
        self.text = text
        self.treatsAllAsMarkup = treatsAllAsMarkup
        tag = HTMLTag(in: text)
    }

    /// Goes on to the next tag; `false` at the end of the text.
    ///
    /// A tag that the end cuts off is none.
    package mutating func next() -> Bool {
        while let start = find("<") {
            at = start + 1
            guard at < text.count else { return false }
            switch text[at] {
            case let byte where byte.isLetter:
                if readTag(start, isEnd: false) { return true }
            case UInt8(ascii: "/"):
                at += 1
                guard at < text.count else { return false }
                if text[at].isLetter {
                    if readTag(start, isEnd: true) { return true }
                } else {
                    skip(past: ">")
                }
            case UInt8(ascii: "!"): skipDeclaration()
            case UInt8(ascii: "?"): skip(past: ">")
            default: break
            }
        }
        return false
    }
}

// MARK: - Tags

extension HTMLTokenizer {
    private mutating func readTag(_ start: Int, isEnd: Bool) -> Bool {
        let name = at
        while at < text.count, Self.endsTagName(text[at]) == false { at += 1 }
        tag.offset = start
        tag.isEnd = isEnd
        tag.nameRange = name..<at
        guard readAttributes() else {
            at = text.count
            return false
        }
        tag.element = HTMLElement(text[name..<tag.nameRange.upperBound])
        guard treatsAllAsMarkup == false else { return true }
        if isEnd {
            open.end(tag)
        } else if open.start(tag) == false {
            skipContent()
        }
        return true
    }

    /// Reads up to and with the `>` of the tag; `false` when there is none.
    private mutating func readAttributes() -> Bool {
        tag.attributes.removeAll(keepingCapacity: true)
        var isAfterSlash = false
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: ">"):
                at += 1
                tag.isSelfClosing = isAfterSlash
                return true
            case UInt8(ascii: "/"):
                at += 1
                isAfterSlash = true
            case let byte where byte.isHTMLSpace:
                at += 1
                isAfterSlash = false
            default:
                isAfterSlash = false
                guard readAttribute() else { return false }
            }
        }
        return false
    }

    private mutating func readAttribute() -> Bool {
        let name = at
        // The first byte may be an equals sign.
        repeat { at += 1 } while at < text.count && Self.endsAttributeName(text[at]) == false
        let nameEnd = at
        skipSpace()
        guard at < text.count else { return false }
        var value = nameEnd..<nameEnd
        if text[at] == UInt8(ascii: "=") {
            at += 1
            skipSpace()
            guard let found = readValue() else { return false }
            value = found
        }
        tag.attributes.append(HTMLTag.Attribute(name: name..<nameEnd, value: value))
        return true
    }

    private mutating func readValue() -> Range<Int>? {
        guard at < text.count else { return nil }
        let quote = text[at]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            at += 1
            guard let end = find(Unicode.Scalar(quote)) else { return nil }
            defer { at = end + 1 }
            return at..<end
        }
        let start = at
        while at < text.count, text[at].isHTMLSpace == false, text[at] != UInt8(ascii: ">") { at += 1 }
        return start..<at
    }

    private static func endsTagName(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: ">") && (byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte.isHTMLSpace)
    }

    private static func endsAttributeName(_ byte: UInt8) -> Bool { endsTagName(byte) || byte == UInt8(ascii: "=") }
}

// MARK: - Comments, document types and CDATA sections

extension HTMLTokenizer {
    private mutating func skipDeclaration() {
        if starts(with: "!--") {
            skipComment()
        } else if open.allowsCDATA, starts(with: "![CDATA[") {
            repeat { skip(past: ">") } while at < text.count && (text[at - 2] != 0x5D || text[at - 3] != 0x5D)
        } else {
            // Neither a document type nor a bogus comment can hold a `>`, not even in quotes.
            skip(past: ">")
        }
    }

    /// Skips a comment whose `!` is next: up to `-->` or `--!>`, where `<!-->` and `<!--->` are whole ones.
    private mutating func skipComment() {
        let dash = UInt8(ascii: "-")
        let dashes = at + 1
        while let end = find(">") {
            at = end + 1
            if end - 2 >= dashes, text[end - 1] == dash, text[end - 2] == dash { return }
            if end - 3 >= dashes + 2, text[end - 1] == UInt8(ascii: "!"), text[end - 2] == dash, text[end - 3] == dash {
                return
            }
        }
        at = text.count
    }
}

// MARK: - Elements that hold text

extension HTMLTokenizer {
    /// Skips what an element holds that holds no markup, up to its end tag.
    private mutating func skipContent() {
        switch tag.element {
        case .iframe, .noembed, .noframes, .style, .textarea, .title, .xmp:
            let name = text[tag.nameRange]
            while let start = find("<") {
                at = start
                if isTag(name, after: "</") { return }
                at += 1
            }
            at = text.count
        case .script: skipScript()
        case .plaintext: at = text.count
        default: break
        }
    }

    /// Script data: behind `<!--`, a `<script>` hides the `</script>` after it, until `-->`.
    private mutating func skipScript() {
        enum Escape {
            case none, single, double
        }
        let name = text[tag.nameRange]
        var escape = Escape.none
        while let next = escape == .none ? find("<") : findTagOrCommentEnd() {
            at = next
            if text[at] == UInt8(ascii: "-") {
                escape = .none
                at += 3
            } else if isTag(name, after: "</") {
                guard escape == .double else { return }
                escape = .single
                at += 2
            } else if escape == .none, starts(with: "<!--") {
                escape = .single
                // The dashes may be those of `-->`, too.
                at += 2
            } else if escape == .single, isTag(name, after: "<") {
                escape = .double
                at += 1
            } else {
                at += 1
            }
        }
        at = text.count
    }

    /// The next `<` or `-->`.
    private func findTagOrCommentEnd() -> Int? {
        var index = at
        while index < text.count {
            if text[index] == UInt8(ascii: "<") { return index }
            if text[index] == UInt8(ascii: ">"), index - 2 >= at, text[index - 1] == UInt8(ascii: "-"),
                text[index - 2] == UInt8(ascii: "-")
            {
                return index - 2
            }
            index += 1
        }
        return nil
    }

    /// Whether a tag of this name is next, all of it.
    private func isTag(_ name: Slice<UnsafeBufferPointer<UInt8>>, after opening: StaticString) -> Bool {
        let start = at + opening.utf8CodeUnitCount
        guard starts(with: opening), start + name.count < text.count, Self.endsTagName(text[start + name.count]) else {
            return false
        }
        return zip(text[start...], name).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

// MARK: - Bytes

extension HTMLTokenizer {
    /// Returns the next place of this ASCII character; `nil` when it does not come.
    private func find(_ character: Unicode.Scalar) -> Int? {
        guard at < text.count, let base = text.baseAddress,
            let found = memchr(base + at, Int32(character.value), text.count - at)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    private mutating func skip(past character: Unicode.Scalar) {
        at = find(character).map { $0 + 1 } ?? text.count
    }

    private mutating func skipSpace() {
        while at < text.count, text[at].isHTMLSpace { at += 1 }
    }

    private func starts(with expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard text.count - at >= count else { return false }
        for index in 0..<count where text[at + index] != expected.utf8Start[index] { return false }
        return true
    }
}
