/// Reads the tag of an enum value and extracts its payload, through the type's value witness table.
///
/// Source: include/swift/ABI/ValueWitness.def of the Swift project. Reading a tag takes about a nanosecond, where
/// `Mirror` takes microseconds. It is not generic itself, because looking up one more generic type for every effect
/// would cost more than everything else.
///
/// Unchecked, because the pointer is to metadata, which is immutable and never freed.
@usableFromInline
struct EnumWitnesses: @unchecked Sendable {
    @usableFromInline typealias GetTag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32
    @usableFromInline typealias Project = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    @usableFromInline typealias Inject = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void

    @usableFromInline let metadata: UnsafeRawPointer
    @usableFromInline let getTag: GetTag
    @usableFromInline let project: Project
    @usableFromInline let inject: Inject

    /// The witnesses of `type`, which must be an enum: an ``EnumDescription`` of it exists.
    init(of type: Any.Type) {
        let metadata = TypeMetadata(type: type)
        // Eight functions, size and stride, and two 32-bit numbers come before those of enums.
        let table = metadata.valueWitnesses + 10 * MemoryLayout<Int>.size + 8
        self.metadata = metadata.address
        getTag = table.load(as: GetTag.self)
        project = table.load(fromByteOffset: MemoryLayout<Int>.size, as: Project.self)
        inject = table.load(fromByteOffset: 2 * MemoryLayout<Int>.size, as: Inject.self)
    }

    /// The number of the case that `value` is, counted as in ``EnumDescription/cases``.
    @inlinable
    func tag<Value>(of value: Value) -> Int {
        withUnsafePointer(to: value) { Int(getTag($0, metadata)) }
    }

    /// The payload of `value`, which must be the case recognised, with a payload represented as `Payload` is.
    @inlinable
    func payload<Value, Payload>(of value: Value, _ recognised: RecognisedCase, as type: Payload.Type) -> Payload {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
            buffer.initializeElement(at: 0, to: value)
            let bytes = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped)
            // A payload without bytes is not stored, so there is nothing to extract.
            if MemoryLayout<Payload>.size == 0 {
                defer { buffer.deinitializeElement(at: 0) }
                return bytes.assumingMemoryBound(to: Payload.self).pointee
            }
            project(bytes, metadata)
            // The copy has become a payload, which is moved out.
            if !recognised.isIndirect { return bytes.assumingMemoryBound(to: Payload.self).move() }
            // The copy is a shared box with the payload; turn it back into a value of the enum, to destroy it as one.
            defer {
                inject(bytes, UInt32(recognised.tag), metadata)
                buffer.deinitializeElement(at: 0)
            }
            let box = bytes.load(as: UnsafeRawPointer.self)
            return (box + Self.offsetInBox(of: type)).assumingMemoryBound(to: Payload.self).pointee
        }
    }

    /// An indirect payload lies in a heap object, behind its two words of header.
    @inlinable
    static func offsetInBox<Payload>(of type: Payload.Type) -> Int {
        let alignment = MemoryLayout<Payload>.alignment
        return (2 * MemoryLayout<Int>.size + alignment - 1) & ~(alignment - 1)
    }
}
