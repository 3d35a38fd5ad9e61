/// The form of a value's bytes, which precedes them, so that a reader can skip an unknown field.
public struct FastKind: Equatable, Sendable {
    /// The number in the bytes, at most 15.
    public let rawValue: UInt8

    @inlinable
    init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A whole number from 0: groups of seven bits, the lowest first, all but the last with the eighth bit set (LEB128).
    @inlinable public static var unsigned: FastKind { FastKind(0) }
    /// A whole number n: LEB128 of 2n when it is not negative, and of -2n - 1 when it is (zigzag).
    @inlinable public static var signed: FastKind { FastKind(1) }
    /// One byte, 0 or 1.
    @inlinable public static var bool: FastKind { FastKind(2) }
    /// Four bytes, the lowest first: IEEE 754 binary32.
    @inlinable public static var float: FastKind { FastKind(3) }
    /// Eight bytes, the lowest first: IEEE 754 binary64.
    @inlinable public static var double: FastKind { FastKind(4) }
    /// A count of bytes as LEB128, and UTF-8.
    @inlinable public static var text: FastKind { FastKind(5) }
    /// A count of bytes as LEB128, and these.
    @inlinable public static var bytes: FastKind { FastKind(6) }
    /// For an enum the number of the case, then fields, then a zero byte.
    @inlinable public static var record: FastKind { FastKind(7) }
    /// The kind of the elements as one byte, their count as LEB128, and their contents.
    @inlinable public static var list: FastKind { FastKind(8) }
    /// The kind of the keys and that of the values as one byte each, their count as LEB128, and each key with its value.
    @inlinable public static var map: FastKind { FastKind(9) }
    /// Seconds since the first moment of 2001 in UTC, as ``double``.
    @inlinable public static var date: FastKind { FastKind(10) }
    /// Sixteen bytes (RFC 9562).
    @inlinable public static var uuid: FastKind { FastKind(11) }

    /// The name in errors.
    var name: String {
        switch self {
        case .unsigned, .signed: "a whole number"
        case .bool: "a Bool"
        case .float, .double: "a number"
        case .text: "a text"
        case .bytes: "bytes"
        case .record: "a record"
        case .list: "a list"
        case .map: "a map"
        case .date: "a date"
        case .uuid: "a UUID"
        default: "of an unknown kind"
        }
    }
}
