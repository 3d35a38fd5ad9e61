/// The keys with which dictionaries code themselves.
///
/// They report any text that looks like a number as a number, so that "7" and "07" would be the same integer: only a
/// dictionary's type determines which keys are integers.
enum DictionaryKeys {
    /// Their type, which has no public name, as a dictionary shows it to a decoder.
    static let type: ObjectIdentifier? = {
        let probe = Probe()
        _ = try? [String: Int](from: probe)
        return probe.found
    }()

    private final class Probe: Decoder {
        var found: ObjectIdentifier?
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            found = ObjectIdentifier(type)
            throw DecodingError.outlived
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw DecodingError.outlived }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw DecodingError.outlived }
    }
}

/// A dictionary, whose type says what its keys are.
protocol KeyedByIntegers {
    static var hasIntegerKeys: Bool { get }
}

extension Dictionary: KeyedByIntegers {
    /// Integers, and enums and the like whose raw values are integers.
    static var hasIntegerKeys: Bool {
        Key.self == Int.self || Key.self is any (CodingKeyRepresentable & RawRepresentable<Int>).Type
    }
}

extension EncodingMachine {
    /// Decides how the keys of a dictionary are written in CBOR.
    @inline(never)
    func chooseKeys(for view: EncodingView) {
        view.hasIntegerKeys = state.pointee.hasIntegerKeys
        state.pointee.hasIntegerKeys = false
    }
}
