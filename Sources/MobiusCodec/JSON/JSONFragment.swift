/// One JSON value as its bytes, which ``JSONCodec`` writes and reads as they are.
///
/// So a document contains a value whose type nobody here knows, such as a model in an answer. Other coders write its text.
package struct JSONFragment: Hashable, Sendable {
    /// The maximum depth of its nesting, which leaves room for its container.
    package static let maximumDepth = JSONScanner.maximumDepth - 16

    /// The bytes of the value: UTF-8, valid for every reader of RFC 8259.
    package let bytes: [UInt8]

    /// Checks that the bytes are one JSON value, also for strict readers: no comma before a closing bracket and no byte order mark,
    /// valid numbers and texts.
    ///
    /// - Returns: `nil` for other bytes, and for values nested deeper than ``maximumDepth``.
    package init?(_ bytes: [UInt8]) {
        var nodes = NodeList()
        defer { nodes.deallocate() }
        let isStrict = bytes.span.bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, buffer.first != 0xef,
                (try? JSONScanner.scan(buffer, into: &nodes)) != nil
            else { return false }
            var walk = NodeWalk(bytes: base.assumingMemoryBound(to: UInt8.self), nodes: nodes, place: 0)
            return walk.end(from: 0, depth: 0) != nil && walk.isStrict
        }
        guard isStrict else { return nil }
        self.bytes = bytes
    }

    /// Takes the bytes of a value that a coder has written, without looking at them.
    package init(written bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether it is `null`.
    package var isNull: Bool { bytes.drop { $0 <= 0x20 }.first == UInt8(ascii: "n") }
}

extension JSONFragment: Codable {
    /// Writes the text; ``JSONCodec`` writes the bytes instead.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: bytes, as: UTF8.self))
    }

    /// Reads the text; ``JSONCodec`` takes the bytes of any value instead.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let fragment = JSONFragment(Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is not JSON")
        }
        self = fragment
    }
}

/// Goes over the nodes of one value in the order of their bytes, to find where it ends.
private struct NodeWalk {
    let bytes: UnsafePointer<UInt8>
    let nodes: NodeList
    /// The next node.
    var place: Int
    /// Whether everything so far is valid for strict readers, too.
    private(set) var isStrict = true

    init(bytes: UnsafePointer<UInt8>, nodes: NodeList, place: Int) {
        self.bytes = bytes
        self.nodes = nodes
        self.place = place
    }

    /// The place behind the next value, whose bytes begin at `start` or behind space there; `nil` when it is nested too deeply.
    mutating func end(from start: Int, depth: Int) -> Int? {
        let node = nodes[place]
        place += 1
        switch node.kind {
        case .null, .true, .false: return Int(node.offset + node.length)
        case .number:
            isStrict = isStrict && JSONNumber.isValid(text(of: node))
            return Int(node.offset + node.length)
        case .text, .escapedText: return text(node)
        case .array, .object:
            guard depth < JSONFragment.maximumDepth else { return nil }
            var at = behindSpace(start) + 1
            for member in 0..<node.length {
                if member > 0 { at = behindSpace(at) + 1 }  // the comma
                if node.kind == .object {
                    let key = nodes[place]
                    place += 1
                    at = behindSpace(text(key)) + 1  // the colon
                }
                guard let end = end(from: at, depth: depth + 1) else { return nil }
                at = end
            }
            at = behindSpace(at)
            if bytes[at] == UInt8(ascii: ",") {
                isStrict = false
                at = behindSpace(at + 1)
            }
            return at + 1
        }
    }

    /// Checks a text or key; the place behind its quotation mark.
    private mutating func text(_ node: Node) -> Int {
        if !node.isPlain {
            let text = text(of: node)
            isStrict = isStrict && (node.kind == .text ? JSONText.isValid(text) : JSONText.escaped(text) != nil)
        }
        return Int(node.offset + node.length) + 1
    }

    private func text(of node: Node) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + Int(node.offset), count: Int(node.length))
    }

    // Nothing here reads beyond the value: it was scanned, so that a bracket stands at its end.
    func behindSpace(_ start: Int) -> Int {
        var at = start
        while bytes[at] == 0x20 || bytes[at] == 0x0a || bytes[at] == 0x0d || bytes[at] == 0x09 { at += 1 }
        return at
    }
}

extension DecodingMachine {
    /// The bytes of a member's value.
    func fragment(_ place: Int) throws -> JSONFragment {
        let bytes = state.pointee.bytes
        let key = node(place - 1)
        guard key.kind == .text || key.kind == .escapedText,
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { throw corrupted("It is not the value of a key.", at: place) }
        var walk = NodeWalk(bytes: base, nodes: state.pointee.nodes, place: place)
        // Behind the key come a quotation mark and a colon; behind a text of an array something else.
        let colon = walk.behindSpace(Int(key.offset + key.length) + 1)
        guard bytes[colon] == UInt8(ascii: ":") else { throw corrupted("It is not the value of a key.", at: place) }
        let start = walk.behindSpace(colon + 1)
        guard let end = walk.end(from: start, depth: 0) else { throw corrupted("It is nested too deeply.", at: place) }
        guard walk.isStrict else { throw corrupted("It has a number or text that is not valid JSON.", at: place) }
        return JSONFragment(written: Array(bytes[start..<end]))
    }
}
