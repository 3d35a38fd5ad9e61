import Foundation

/// The values that an exploring decoder gives to a type, because a decoder must return something.
///
/// Types that check their values may refuse some of them, so there are several.
struct SchemaSamples {
    let text: String
    let integer: Int

    /// The samples in the order of trying: first those that trap the fewest types (not empty, not zero).
    static let usual = [
        Self(text: "a", integer: 1), Self(text: "1", integer: 2), Self(text: "https://example.org/", integer: 10),
        Self(text: "2026-01-01T00:00:00Z", integer: 2026), Self(text: "a@example.org", integer: 100),
        Self(text: "00000000-0000-4000-8000-000000000000", integer: 0), Self(text: "/a", integer: -1),
        Self(text: "a/1/0", integer: 1 << 20),
    ]
}

/// Values without parts: their form, and a sample.
enum SchemaLeaf {
    static func of<Value>(_ type: Value.Type, _ samples: SchemaSamples) -> (shape: SchemaShape, sample: Value)? {
        let found: (SchemaShape, Any)
        switch type {
        case is Bool.Type: found = (.bool, true)
        case is String.Type: found = (.text(.plain), samples.text)
        case is Double.Type: found = (.number, Double(samples.integer))
        case is Float.Type: found = (.number, Float(samples.integer))
        case is Decimal.Type: found = (.number, Decimal(samples.integer))
        case is Date.Type: found = (.date, Date(timeIntervalSinceReferenceDate: 0))
        case is Data.Type: found = (.text(.base64), Data([1]))
        case is URL.Type:
            guard let url = URL(string: "https://example.org/") else { return nil }
            found = (.text(.url), url)
        case is UUID.Type: found = (.text(.uuid), UUID(uuid: (0, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 0)))
        case is JSONFragment.Type: found = (.any("JSON"), JSONFragment(written: Array("1".utf8)))
        case let integer as any FixedWidthInteger.Type:
            guard let known = self.integer(integer, samples) else { return nil }
            found = known
        default: return nil
        }
        return (found.1 as? Value).map { (found.0, $0) }
    }

    private static func integer<Number: FixedWidthInteger>(
        _ type: Number.Type, _ samples: SchemaSamples
    ) -> (SchemaShape, Any)? {
        guard Number.bitWidth <= 64 else { return nil }
        let isWide = Number.bitWidth == 64
        return (
            .integer(
                low: Number.isSigned && isWide ? nil : Int64(clamping: Number.min),
                high: isWide ? nil : UInt64(clamping: Number.max)),
            Number(clamping: samples.integer)
        )
    }
}
