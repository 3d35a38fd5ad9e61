/// The few words of Swift's type metadata that `routeCase` reads, by their places in the stable ABI.
///
/// Source: docs/ABI/TypeMetadata.rst and include/swift/ABI/Metadata.h of the Swift project. The layout is frozen on
/// Apple platforms and the same on Linux.
struct TypeMetadata {
    /// The kinds of types that are needed here.
    enum Kind: Int {
        case `enum` = 0x201
        case optional = 0x202
        case tuple = 0x301
        case function = 0x302
        case metatype = 0x304
    }

    let type: Any.Type

    /// Metadata pointers and metatypes are the same word.
    var address: UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    var kind: Kind? {
        Kind(rawValue: word(0))
    }

    func word(_ index: Int) -> Int {
        address.load(fromByteOffset: index * MemoryLayout<Int>.size, as: Int.self)
    }

    func type(atWord index: Int) -> Any.Type {
        address.load(fromByteOffset: index * MemoryLayout<Int>.size, as: Any.Type.self)
    }

    /// The table of the functions that copy, destroy and (for enums) take apart values; one word before the metadata.
    var valueWitnesses: UnsafeRawPointer {
        (address - MemoryLayout<Int>.size).load(as: UnsafeRawPointer.self)
    }

    /// Whether that table has the functions of enums: a flag behind eight functions, size and stride says so.
    var hasEnumWitnesses: Bool {
        valueWitnesses.load(fromByteOffset: 10 * MemoryLayout<Int>.size, as: UInt32.self) & 0x0020_0000 != 0
    }

    /// The types of a tuple's elements: pairs of type and offset follow kind, count and labels.
    var tupleElements: [Any.Type] {
        (0..<word(1)).map { type(atWord: 3 + 2 * $0) }
    }

    /// The type that an optional wraps: the first generic argument follows kind and descriptor.
    var optionalWrapped: Any.Type {
        type(atWord: 2)
    }
}

extension TypeMetadata {
    /// Whether values of both types are the same bytes.
    ///
    /// That holds for equal types, and for tuples that differ in labels only; a case with one labelled value
    /// is described by a tuple with one element.
    static func sameRepresentation(_ lhs: Any.Type, _ rhs: Any.Type) -> Bool {
        if lhs == rhs { return true }
        let (left, right) = (TypeMetadata(type: lhs), TypeMetadata(type: rhs))
        let leftElements = left.kind == .tuple ? left.tupleElements : [lhs]
        let rightElements = right.kind == .tuple ? right.tupleElements : [rhs]
        guard leftElements.count == rightElements.count, left.kind == .tuple || right.kind == .tuple else {
            return false
        }
        return zip(leftElements, rightElements).allSatisfy { sameRepresentation($0, $1) }
    }

    /// Whether the bytes of a value depend on how much the compiler knew of its type where it was stored.
    ///
    /// Such a value cannot be extracted at run time. Functions with arguments or results have another calling
    /// convention in generic code, and metatypes of known types are not stored at all; the same applies to tuples and
    /// optionals that contain them.
    static func dependsOnAbstraction(_ type: Any.Type) -> Bool {
        let metadata = TypeMetadata(type: type)
        switch metadata.kind {
        case .function:
            let flags = metadata.word(1)
            let parameters = flags & 0xFFFF
            let hasExtendedFlags = flags & 0x8000_0000 != 0
            return parameters > 0 || hasExtendedFlags || metadata.type(atWord: 2) != Void.self
        case .metatype: return true
        case .optional: return dependsOnAbstraction(metadata.optionalWrapped)
        case .tuple: return metadata.tupleElements.contains(where: dependsOnAbstraction)
        case .enum, nil: return false
        }
    }
}
