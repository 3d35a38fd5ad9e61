import SiteAudit

/// A link as found, before the page's base is known: `<base>` may stand after it.
struct RawLink {
    var written: String
    var offset: Int
    var kind: FetchedLink.Kind
}

/// The links and anchors of a page.
struct LinkCollector {
    /// Every link so far, in document order.
    private(set) var links: [RawLink] = []
    /// Every anchor so far, without duplicates.
    private(set) var anchors: [String] = []
    /// The `href` of the first `<base>` that has one.
    private(set) var base: String?

    private var known: Set<String> = []
    private var isInPicture = false

    /// Reads a page; `text` must be valid UTF-8 without NUL.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        var tokens = HTMLTokenizer(text)
        while tokens.next() {
            let tag = tokens.tag
            if tag.isEnd {
                if tag.element == .picture { isInPicture = false }
            } else if tokens.isInert == false {
                if let id = tag["id"] { note(anchor: id) }
                if let element = tag.element { collect(element, tag) }
            }
        }
    }

    private mutating func collect(_ element: HTMLElement, _ tag: HTMLTag) {
        switch element {
        case .a:
            add(tag["href"] ?? tag["xlink:href"], .document, tag)
            if let name = tag["name"] { note(anchor: name) }
        case .area: add(tag["href"], .document, tag)
        case .base: base = base ?? tag["href"]
        case .iframe, .frame: addUnlessEmpty(tag["src"], .document, tag)
        case .img: addImage(tag)
        case .input: if tag["type"]?.lowercased() == "image" { add(tag["src"], .image, tag) }
        case .image: addUnlessFragment(tag["href"] ?? tag["xlink:href"] ?? tag["src"], .image, tag)
        case .use: addUnlessFragment(tag["href"] ?? tag["xlink:href"], .other, tag)
        case .link: addLink(tag)
        case .script: add(tag["src"], .script, tag)
        case .source: addSource(tag)
        case .picture: isInPicture = true
        case .video:
            isInPicture = false
            addUnlessEmpty(tag["poster"], .image, tag)
            add(tag["src"], .other, tag)
        case .audio, .track, .embed: add(tag["src"], .other, tag)
        case .object: add(tag["data"], .other, tag)
        case .meta: addRefresh(tag)
        case .body, .table, .td, .th: addUnlessEmpty(tag["background"], .image, tag)
        default: break
        }
    }
}

// MARK: - Single elements

extension LinkCollector {
    private mutating func addImage(_ tag: HTMLTag) {
        add(tag["src"], .image, tag)
        addCandidates(tag["srcset"], tag)
        addUnlessEmpty(tag["longdesc"], .document, tag)
    }

    private mutating func addSource(_ tag: HTMLTag) {
        addCandidates(tag["srcset"], tag)
        add(tag["src"], isInPicture ? .image : .other, tag)
    }

    private mutating func addLink(_ tag: HTMLTag) {
        guard let kind = LinkRelation.kind(rel: tag["rel"] ?? "", type: tag["type"], as: tag["as"]) else { return }
        addUnlessEmpty(tag["href"], kind, tag)
        addCandidates(tag["imagesrcset"], tag)
    }

    private mutating func addRefresh(_ tag: HTMLTag) {
        guard tag["http-equiv"]?.lowercased() == "refresh", let content = tag["content"] else { return }
        add(MetaRefresh.url(in: content), .document, tag)
    }

    private mutating func addCandidates(_ srcset: String?, _ tag: HTMLTag) {
        for url in srcset.map(Srcset.urls(in:)) ?? [] { add(url, .image, tag) }
    }

    private mutating func addUnlessEmpty(_ written: String?, _ kind: FetchedLink.Kind, _ tag: HTMLTag) {
        guard written?.trimmingASCIISpace.isEmpty == false else { return }
        add(written, kind, tag)
    }

    /// Graphics refer to their own parts by `#id`, of which the page's anchors are not the judge.
    private mutating func addUnlessFragment(_ written: String?, _ kind: FetchedLink.Kind, _ tag: HTMLTag) {
        guard written?.trimmingASCIISpace.hasPrefix("#") == false else { return }
        addUnlessEmpty(written, kind, tag)
    }

    private mutating func add(_ written: String?, _ kind: FetchedLink.Kind, _ tag: HTMLTag) {
        guard let written else { return }
        links.append(RawLink(written: written.trimmingASCIISpace, offset: tag.offset, kind: kind))
    }

    private mutating func note(anchor: String) {
        // No address is as long as to lead to it.
        guard anchor.isEmpty == false, anchor.utf8.count <= Addresses.longest, known.insert(anchor).inserted else {
            return
        }
        anchors.append(anchor)
    }
}
