import SiteAudit

/// Gathers links and anchors while a page's tags go by.
final class LinkCollector: HTMLTagReceiver {
    /// Every link so far, in document order.
    private(set) var links: [RawLink] = []
    /// Every anchor so far, without duplicates.
    private(set) var anchors: [String] = []
    /// The `href` of the first `<base>` that has one.
    private(set) var base: String?

    private var known: Set<String> = []
    private var inertDepth = 0
    private var pictureDepth = 0
    private var templates: [Template] = []

    func start(_ tag: borrowing HTMLTag) {
        let element = Element(rawValue: tag.name)
        if isInert(element, tag) { inertDepth += 1 }
        if element == .picture { pictureDepth += 1 }
        guard inertDepth == 0 else { return }
        if let id = tag["id"] { note(anchor: id) }
        guard let element else { return }
        collect(element, tag)
    }

    func end(_ name: String) {
        switch Element(rawValue: name) {
        case .template:
            if templates.popLast() == .inert { inertDepth -= 1 }
        case .title, .textarea: inertDepth -= 1
        case .picture: pictureDepth -= 1
        default: break
        }
    }

    /// What a `<template>` is: for scripts only, or a shadow root whose content is part of the page.
    private enum Template {
        case inert, shadowRoot
    }

    /// Whether a browser shows no element that stands in this one: the others hold nothing but text.
    private func isInert(_ element: Element?, _ tag: borrowing HTMLTag) -> Bool {
        switch element {
        case .template:
            let template = tag["shadowrootmode"] == nil ? Template.inert : .shadowRoot
            templates.append(template)
            return template == .inert
        case .title, .textarea:
            return true
        default:
            return false
        }
    }

    private func collect(_ element: Element, _ tag: borrowing HTMLTag) {
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
        case .video:
            addUnlessEmpty(tag["poster"], .image, tag)
            add(tag["src"], .other, tag)
        case .audio, .track, .embed: add(tag["src"], .other, tag)
        case .object: add(tag["data"], .other, tag)
        case .meta: addRefresh(tag)
        case .body, .table, .td, .th: addUnlessEmpty(tag["background"], .image, tag)
        case .picture, .template, .title, .textarea: break
        }
    }
}

// MARK: - Single elements

extension LinkCollector {
    private func addImage(_ tag: borrowing HTMLTag) {
        add(tag["src"], .image, tag)
        addCandidates(tag["srcset"], tag)
        addUnlessEmpty(tag["longdesc"], .document, tag)
    }

    private func addSource(_ tag: borrowing HTMLTag) {
        addCandidates(tag["srcset"], tag)
        add(tag["src"], pictureDepth > 0 ? .image : .other, tag)
    }

    private func addLink(_ tag: borrowing HTMLTag) {
        guard let kind = LinkRelation.kind(rel: tag["rel"] ?? "", type: tag["type"], as: tag["as"]) else { return }
        addUnlessEmpty(tag["href"], kind, tag)
        addCandidates(tag["imagesrcset"], tag)
    }

    private func addRefresh(_ tag: borrowing HTMLTag) {
        guard tag["http-equiv"]?.lowercased() == "refresh", let content = tag["content"] else { return }
        add(MetaRefresh.url(in: content), .document, tag)
    }

    private func addCandidates(_ srcset: String?, _ tag: borrowing HTMLTag) {
        for url in srcset.map(Srcset.urls(in:)) ?? [] { add(url, .image, tag) }
    }

    private func addUnlessEmpty(_ written: String?, _ kind: FetchedLink.Kind, _ tag: borrowing HTMLTag) {
        guard written?.trimmingASCIISpace.isEmpty == false else { return }
        add(written, kind, tag)
    }

    /// Graphics refer to their own parts by `#id`, of which the page's anchors are not the judge.
    private func addUnlessFragment(_ written: String?, _ kind: FetchedLink.Kind, _ tag: borrowing HTMLTag) {
        guard written?.trimmingASCIISpace.hasPrefix("#") == false else { return }
        addUnlessEmpty(written, kind, tag)
    }

    private func add(_ written: String?, _ kind: FetchedLink.Kind, _ tag: borrowing HTMLTag) {
        guard let written else { return }
        links.append(RawLink(written: written.trimmingASCIISpace, offset: tag.offset, kind: kind))
    }

    private func note(anchor: String) {
        // No address is as long as to lead to it.
        guard anchor.isEmpty == false, anchor.utf8.count <= Addresses.longest, known.insert(anchor).inserted else {
            return
        }
        anchors.append(anchor)
    }
}

/// The elements that hold an address or change what one means.
private enum Element: String {
    case a, area, audio, base, body, embed, frame, iframe, image, img, input, link, meta, object, picture, script,
        source
    case table, td, template, textarea, th, title, track, use, video
}
