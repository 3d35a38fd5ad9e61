import CLibXML2

/// One start tag, as libxml2 reports it; valid only during the call that hands it over.
struct HTMLTag: ~Copyable {
    /// The element's name in lower case.
    let name: String
    /// How many bytes of the text stand before the tag's `<`.
    let offset: Int
    fileprivate let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    /// The value of an attribute, entities decoded: empty when it was written without one, `nil` when it is absent.
    subscript(_ wanted: StaticString) -> String? {
        guard var pair = attributes else { return nil }
        while let name = pair[0] {
            if strcmp(name, wanted) { return pair[1].map(String.init(cString:)) ?? "" }
            pair += 2
        }
        return nil
    }

    private func strcmp(_ name: UnsafePointer<UInt8>, _ wanted: StaticString) -> Bool {
        let length = wanted.utf8CodeUnitCount
        for index in 0..<length where name[index] != wanted.utf8Start[index] { return false }
        return name[length] == 0
    }
}

/// What listens to the tags of a page.
protocol HTMLTagReceiver: AnyObject {
    func start(_ tag: borrowing HTMLTag)
    func end(_ name: String)
}

/// Runs libxml2's HTML parser over a text and reports its tags.
///
/// The text may be anything: nothing is loaded from disk or network, no entity is expanded but HTML's own, and work stays
/// linear in the length of the text. Two kinds of input would make libxml2 work quadratically: thousands of
/// attributes in a tag, and wrong end tags below thousands of open elements. Reading stops there; tags before that point are
/// reported.
final class HTMLTokens {
    private let text: UnsafeBufferPointer<UInt8>
    private let receiver: any HTMLTagReceiver
    private var context: htmlParserCtxtPtr?
    private var given = 0
    /// Where the last thing that libxml2 told us of ended: a tag found next begins at or after it.
    private var told = 0
    private var patience = 200_000_000

    private init(_ text: UnsafeBufferPointer<UInt8>, _ receiver: any HTMLTagReceiver) {
        self.text = text
        self.receiver = receiver
    }

    /// Parses `text`, which must be valid UTF-8 without NUL, on the calling thread.
    static func read(_ text: UnsafeBufferPointer<UInt8>, to receiver: any HTMLTagReceiver) {
        libraryIsReady
        HTMLTokens(text, receiver).run()
    }

    /// libxml2 wants its globals set up before it is used from several threads.
    private static let libraryIsReady: Void = xmlInitParser()

    private func run() {
        guard text.isEmpty == false, let context = htmlNewParserCtxt(), let sax = context.pointee.sax else { return }
        self.context = context
        defer {
            // Without tree callbacks there is no document, unless a future libxml2 thinks otherwise.
            if let document = context.pointee.myDoc { xmlFreeDoc(document) }
            htmlFreeParserCtxt(context)
        }
        sax.pointee = Self.callbacks
        let me = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.userData = me
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
            | HTML_PARSE_NODEFDTD.rawValue
        let document = htmlCtxtReadIO(
            context, { me, buffer, size in HTMLTokens.from(me).give(buffer, size) }, nil, me, nil, "UTF-8",
            Int32(options))
        if let document { xmlFreeDoc(document) }
    }

    private static func from(_ me: UnsafeMutableRawPointer?) -> HTMLTokens {
        guard let me else { preconditionFailure("libxml2 lost the pointer that every callback was registered with") }
        return Unmanaged<HTMLTokens>.fromOpaque(me).takeUnretainedValue()
    }

    private static var callbacks: htmlSAXHandler {
        var sax = htmlSAXHandler()
        sax.initialized = UInt32(XML_SAX2_MAGIC)
        sax.startElement = { me, name, attributes in HTMLTokens.from(me).start(name, attributes) }
        sax.endElement = { me, name in HTMLTokens.from(me).end(name) }
        // A comment or a script may hold what looks like a tag.
        sax.comment = { me, _ in HTMLTokens.from(me).noteEnd() }
        sax.processingInstruction = { me, _, _ in HTMLTokens.from(me).noteEnd() }
        sax.serror = { me, _ in HTMLTokens.from(me).complain() }
        return sax
    }
}

// MARK: - What libxml2 calls

extension HTMLTokens {
    /// Hands over the next piece of the text; nothing more when the page is not worth it.
    private func give(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
        guard let buffer, patience > 0, let context, context.pointee.maxatts < 2_000 else { return 0 }
        let count = min(Int(size), text.count - given)
        UnsafeMutableRawBufferPointer(start: buffer, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[given..<given + count]))
        given += count
        return Int32(count)
    }

    private func start(
        _ name: UnsafePointer<UInt8>?, _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    ) {
        guard let name else { return }
        let beginning = beginning(of: name)
        // A tag that the end of the page cuts off is none.
        guard position < given else { return }
        let tag = HTMLTag(name: String(cString: name), offset: beginning ?? position, attributes: attributes)
        receiver.start(tag)
        // An implied <body> is reported while its cause, the tag after it, is half read: that one is still to be found.
        if beginning != nil { noteEnd() }
    }

    private func end(_ name: UnsafePointer<UInt8>?) {
        guard let name else { return }
        receiver.end(String(cString: name))
        // An implied </p> is reported in the middle of a tag as well.
        if position > 0, text[position - 1] == UInt8(ascii: ">") { noteEnd() }
    }

    /// Each complaint may have cost a walk up the open elements.
    private func complain() {
        patience -= 100 + Int(context?.pointee.nameNr ?? 0)
    }

    private func noteEnd() {
        told = position
    }

    /// How far libxml2 has read. (`xmlByteConsumed` answers the same in time that grows with the buffer.)
    private var position: Int {
        guard let input = context?.pointee.input else { return told }
        let inBuffer = input.pointee.cur.map { $0 - input.pointee.base } ?? 0
        return min(max(told, Int(input.pointee.consumed) + inBuffer), text.count)
    }

    /// libxml2 reports a start tag when it stands at the tag's end, maybe lines later: looks for its `<name` from the end
    /// of what came before.
    private func beginning(of name: UnsafePointer<UInt8>) -> Int? {
        let end = position
        var at = told
        while at < end {
            if text[at] == UInt8(ascii: "<"), isName(name, at: at + 1) { return at }
            at += 1
        }
        return nil
    }

    private func isName(_ name: UnsafePointer<UInt8>, at start: Int) -> Bool {
        var at = start
        var name = name
        while name.pointee != 0 {
            guard at < text.count, text[at] == name.pointee || (text[at] | 0x20) == name.pointee else { return false }
            at += 1
            name += 1
        }
        return at >= text.count || Self.continuesName(text[at]) == false
    }

    private static func continuesName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "_"):
            return true
        default:
            return false
        }
    }
}
