/// A hash of what a payload says, the same in all processes and builds: it tells a repetition from another payload.
///
/// White space in JSON does not count, nor does the order of members and elements, also in codings that can be
/// shown as JSON: a dictionary or a set is written in another order by each process. It detects accidents, not attacks.
package enum PayloadFingerprint {
    /// The hash, which is never 0.
    package static func of(_ bytes: [UInt8], contentType: String) -> UInt64 {
        max(1, tree(bytes, contentType) ?? bytes.span.bytes.withUnsafeBytes { hash($0) })
    }

    /// The hash of the values in the payload; `nil` for other codings, and for bytes that are not one value.
    private static func tree(_ bytes: [UInt8], _ contentType: String) -> UInt64? {
        switch contentType {
        case "application/json": return tree(bytes)
        case FastText.contentType:
            guard let text = try? FastText.json(of: bytes.span.bytes) else { return nil }
            return tree(Array(text.utf8))
        default: return nil
        }
    }

    private static func tree(_ bytes: [UInt8]) -> UInt64? {
        var nodes = NodeList()
        defer { nodes.deallocate() }
        return bytes.span.bytes.withUnsafeBytes { buffer in
            do throws(MalformedBytes) {
                try JSONScanner.scan(buffer, into: &nodes)
            } catch {
                return nil
            }
            return hash(of: 0, nodes, buffer)
        }
    }

    /// Recursive: scanners limit how deep values are nested.
    private static func hash(of place: Int, _ nodes: NodeList, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let node = nodes[place]
        let kind = UInt64(node.kind.rawValue) + 1
        switch node.kind {
        case .null, .true, .false: return mixed(kind, 0)
        case .array:
            var (sum, child) = (UInt64(0), place + 1)
            while child < Int(node.next) {
                sum &+= mixed(hash(of: child, nodes, bytes), 1)
                child = Int(nodes[child].next)
            }
            return mixed(kind, sum)
        case .object:
            var (sum, key) = (UInt64(0), place + 1)
            while key < Int(node.next) {
                sum &+= mixed(hash(of: key, nodes, bytes), hash(of: key + 1, nodes, bytes))
                key = Int(nodes[key + 1].next)
            }
            return mixed(kind, sum)
        default:
            let start = min(Int(node.offset), bytes.count)
            let end = min(start + Int(node.length), bytes.count)
            return mixed(kind, hash(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(bytes.count)
        var position = 0
        while position + 8 <= bytes.count {
            hash = mixed(
                hash, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        guard position < bytes.count else { return hash }
        return mixed(hash, bytes[position...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Both halves of a product, one upon the other; of constants that have no meaning.
    private static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: other ^ 0xD1B5_4A32_D192_ED03)
        return product.high ^ product.low
    }
}
