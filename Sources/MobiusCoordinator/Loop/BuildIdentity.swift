import Foundation
import MobiusJournal
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#endif

/// Identifies the running build; the journal records it, to distinguish a changed `update` from an impure one.
package enum BuildIdentity {
    /// The fleet's version and an identifier of this executable: `0.1.0+5c1f…`.
    package static let current = "\(FleetVersion.current)+\(executable)"

    private static var executable: String {
        #if canImport(Glibc)
            if let image = LoadedImage.ofThisCode() { return image.identity }
        #endif
        // On other systems a hash of the file, which is the running one unless it was replaced since the start.
        guard let path = Bundle.main.executablePath,
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        else { return "unknown" }
        var hash = BuildHash()
        bytes.withUnsafeBytes { hash.add($0) }
        return hash.text
    }
}

/// A fast hash for large code: FNV-1a over 8-byte words instead of bytes.
struct BuildHash {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var hash = value
        let words = bytes.count / 8
        for word in 0..<words {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)) &* 0x0000_0100_0000_01b3
            hash ^= hash >> 29
        }
        for byte in bytes[(words * 8)...] { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        value = hash
    }

    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

#if canImport(Glibc)
    /// The 64-bit ELF image, executable or library, that contains this code, as loaded in memory.
    struct LoadedImage {
        private struct Segment {
            let type: UInt32
            let flags: UInt32
            let content: UnsafeRawBufferPointer
        }

        private var segments: [Segment] = []

        /// Finds the image; `nil` on systems without `dl_iterate_phdr`.
        static func ofThisCode() -> LoadedImage? {
            // <link.h> declares it only with _GNU_SOURCE, which Swift's Glibc module does not define.
            typealias Visit = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> CInt
            typealias Iterate = @convention(c) (Visit, UnsafeMutableRawPointer?) -> CInt
            guard MemoryLayout<Int>.size == 8, let symbol = dlsym(nil, "dl_iterate_phdr") else { return nil }
            let iterate = unsafeBitCast(symbol, to: Iterate.self)
            var found: LoadedImage?
            let visit: Visit = { info, _, result in
                guard let info, let result else { return 0 }
                let image = LoadedImage(info)
                guard image.contains(#dsohandle) else { return 0 }
                result.assumingMemoryBound(to: LoadedImage?.self).pointee = image
                return 1
            }
            _ = withUnsafeMutablePointer(to: &found) { iterate(visit, $0) }
            return found
        }

        /// Reads a `dl_phdr_info`: address, name, program headers and their number.
        private init(_ info: UnsafeRawPointer) {
            let base = info.load(as: UInt.self)
            guard let headers = info.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else { return }
            for index in 0..<Int(info.load(fromByteOffset: 24, as: UInt16.self)) {
                let header = headers + index * 56
                let address = base &+ header.load(fromByteOffset: 16, as: UInt.self)
                segments.append(
                    Segment(
                        type: header.load(as: UInt32.self), flags: header.load(fromByteOffset: 4, as: UInt32.self),
                        content: UnsafeRawBufferPointer(
                            start: UnsafeRawPointer(bitPattern: address),
                            count: header.load(fromByteOffset: 40, as: Int.self))))
            }
        }

        private static let load: UInt32 = 1
        private static let note: UInt32 = 4
        private static let writable: UInt32 = 2

        private func contains(_ address: UnsafeRawPointer) -> Bool {
            segments.contains { segment in
                guard segment.type == Self.load, let start = segment.content.baseAddress else { return false }
                return address >= start && address < start + segment.content.count
            }
        }

        /// The linker's build id if there is one, otherwise a hash of code and constants.
        var identity: String {
            for segment in segments where segment.type == Self.note {
                if let id = Self.buildID(in: segment.content) { return id }
            }
            var hash = BuildHash()
            for segment in segments where segment.type == Self.load && segment.flags & Self.writable == 0 {
                hash.add(segment.content)
            }
            return hash.text
        }

        /// Finds the GNU build id in ELF notes.
        ///
        /// A note has the length of its name, the length of its content, its type, name and content. Name and content
        /// are padded to 4 bytes.
        private static func buildID(in notes: UnsafeRawBufferPointer) -> String? {
            var position = 0
            while position + 12 <= notes.count {
                let nameLength = Int(notes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let length = Int(notes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
                let type = notes.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self)
                let content = position + 12 + (nameLength + 3) & ~3
                guard content + length <= notes.count else { return nil }
                let name = notes[(position + 12)..<(position + 12 + nameLength)]
                if type == 3, name.elementsEqual("GNU\0".utf8) {
                    return notes[content..<content + length].map { byte in
                        (byte < 16 ? "0" : "") + String(byte, radix: 16)
                    }.joined()
                }
                position = content + (length + 3) & ~3
            }
            return nil
        }
    }
#endif
