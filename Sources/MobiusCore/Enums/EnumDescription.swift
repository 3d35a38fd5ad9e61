/// The cases of an enum type in the runtime's metadata: name, payload type, and whether it is indirect.
///
/// It is read from the reflection metadata, which has the cases in the order of their tags.
struct EnumDescription: Sendable {
    /// One case of the enum.
    struct Case: Sendable {
        let name: String
        /// `nil` for a case without payload.
        let payload: Any.Type?
        let isIndirect: Bool
    }

    let cases: [Case]

    /// Describes `type`, or fails if it is not a Swift enum or was compiled without reflection metadata.
    init?(_ type: Any.Type) {
        let metadata = TypeMetadata(type: type)
        guard metadata.kind == .enum || metadata.kind == .optional, metadata.hasEnumWitnesses else { return nil }
        let context = UnsafeRawPointer(bitPattern: metadata.word(1))
        guard let context, let fields = Self.fieldDescriptor(of: context) else { return nil }

        // The field descriptor: three numbers of 4, 4, 2 bytes, the size of a record, the count; then the records.
        let recordSize = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
        var cases: [Case] = []
        for index in 0..<count {
            let record = fields + 16 + index * recordSize
            guard let described = Self.describe(record, of: metadata, in: context) else { return nil }
            cases.append(described)
        }
        self.cases = cases
    }

    /// A nominal type descriptor starts with flags, parent, name and accessor; its fields come fifth.
    private static func fieldDescriptor(of context: UnsafeRawPointer) -> UnsafeRawPointer? {
        relative(context + 16)
    }

    /// A field record is flags, a mangled type name and a field name.
    private static func describe(
        _ record: UnsafeRawPointer, of metadata: TypeMetadata, in context: UnsafeRawPointer
    ) -> Case? {
        guard let name = relative(record + 8) else { return nil }
        var payload: Any.Type?
        if let mangled = relative(record + 4) {
            // Generic arguments follow kind and descriptor.
            payload = _getTypeByMangledNameInContext(
                mangled.assumingMemoryBound(to: UInt8.self), length(ofMangledName: mangled),
                genericContext: context, genericArguments: metadata.address + 2 * MemoryLayout<Int>.size)
            guard payload != nil else { return nil }
        }
        return Case(
            name: String(cString: name.assumingMemoryBound(to: CChar.self)),
            payload: payload,
            isIndirect: record.load(as: UInt32.self) & 1 != 0)
    }

    /// Follows a 32-bit offset relative to its own address; 0 means absent.
    private static func relative(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = place.load(as: Int32.self)
        return offset == 0 ? nil : place + Int(offset)
    }

    /// Mangled names end with a zero byte, but hold references (which may contain zeros) after low control characters.
    private static func length(ofMangledName start: UnsafeRawPointer) -> UInt {
        var length = 0
        while true {
            switch start.load(fromByteOffset: length, as: UInt8.self) {
            case 0: return UInt(length)
            case 0x01...0x17: length += 1 + 4
            case 0x18...0x1F: length += 1 + MemoryLayout<Int>.size
            default: length += 1
            }
        }
    }
}
