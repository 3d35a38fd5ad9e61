import MobiusCodec
import MobiusWire

/// The name of a type in journals and messages, and its versions, each of which can be converted to the next.
///
/// Versions count from 1 (or from ``oldest``) in the order in which they are named. It is made once per type, as a
/// `static let`.
public struct PayloadVersions<Value: Codable & Sendable>: Sendable {
    /// The type's name in journals and messages, independent of its name and module in the code.
    public let name: String
    /// Other names under which values were written.
    ///
    /// Before a type conformed to ``PayloadEvolution``, its values were version 1 under its full name, such as
    /// `Shop.Shop.Event`.
    public let formerNames: Set<String>
    /// The oldest version that can still be read.
    public let oldest: UInt16
    /// The decoders for the values of one version, in the order in which they are tried.
    private typealias Forms = [@Sendable (Payload) throws -> Value]

    /// The forms of each version, from the oldest on.
    private let versions: [Forms]
    /// The index of the first version whose last form is `Value` itself.
    private let firstAsValue: Int

    /// Names a type and the oldest of its versions.
    ///
    /// - Parameters:
    ///   - name: 1…255 bytes of UTF-8, such as `shop.event`; never to be changed.
    ///   - formerly: Other names under which values were written.
    ///   - oldest: The number of that version, from 1: greater once older versions need not be read any more.
    ///   - first: The type as which values of that version are decoded.
    public init(_ name: String, formerly: String..., oldest: UInt16 = 1, startingWith first: Value.Type) {
        precondition((1...255).contains(name.utf8.count), "The name of a payload's type has 1 to 255 bytes.")
        precondition(oldest > 0, "Versions count from 1.")
        self.init(
            name: name, formerNames: Set(formerly), oldest: oldest, versions: [[Self.reader(oldest)]], firstAsValue: 0)
    }

    private init(
        name: String, formerNames: Set<String>, oldest: UInt16, versions: [Forms], firstAsValue: Int
    ) {
        self.name = name
        self.formerNames = formerNames
        self.oldest = oldest
        self.versions = versions
        self.firstAsValue = firstAsValue
    }

    /// The version of `Value`, in which new values are written.
    public var current: UInt16 { oldest + UInt16(versions.count - 1) }

    /// Names the next version, a type that replaces the previous one as a whole.
    ///
    /// - Parameters:
    ///   - next: The type as which values of that version are decoded; for the last, the type itself.
    ///   - upcast: Converts a value of the previous version. It must be pure. It throws if the value cannot be
    ///     converted, which holds its loop.
    public func then<Next>(
        _ next: Next.Type, _ upcast: @escaping @Sendable (Value) throws -> Next
    ) -> PayloadVersions<Next> {
        var versions = versions.map { forms in
            forms.map { form -> @Sendable (Payload) throws -> Next in { payload in try upcast(try form(payload)) } }
        }
        versions.append([PayloadVersions<Next>.reader(following)])
        return PayloadVersions<Next>(
            name: name, formerNames: formerNames, oldest: oldest, versions: versions,
            firstAsValue: versions.count - 1)
    }

    /// Names the next version, which differs from the previous one in some cases of an enum only.
    ///
    /// `former` is an enum with just the changed and removed cases, as they were. A value of an earlier version is
    /// decoded as `former` if it is one of these cases, and as `Value` otherwise. When a case changes again, each of
    /// its former shapes stays in the chain, and all closures return the newest.
    ///
    /// - Parameters:
    ///   - former: The changed cases as the previous version had them. A value of any other case must not be decodable
    ///     as it, which is true of every enum whose coding the compiler writes.
    ///   - upcast: Converts a value of a changed case. It must be pure. It throws if the value cannot be converted,
    ///     which holds its loop.
    public func changing<Former: Codable & Sendable>(
        _ former: Former.Type, _ upcast: @escaping @Sendable (Former) throws -> Value
    ) -> PayloadVersions {
        let read = PayloadVersions<Former>.reader(current)
        let form: @Sendable (Payload) throws -> Value = { payload in try upcast(try read(payload)) }
        // Older shapes of a case come first: each version tries the changes behind it in their order.
        var versions = versions
        for index in firstAsValue..<versions.count { versions[index].insert(form, at: versions[index].count - 1) }
        versions.append([Self.reader(following)])
        return PayloadVersions(
            name: name, formerNames: formerNames, oldest: oldest, versions: versions, firstAsValue: firstAsValue)
    }

    private var following: UInt16 {
        precondition(current < .max, "There are no more than \(UInt16.max) versions.")
        return current + 1
    }

    private static func reader(_ version: UInt16) -> @Sendable (Payload) throws -> Value {
        let codings = PayloadCodecs(Value.self)
        return { payload in
            guard let coding = codings[payload.kind.contentType] else {
                throw CodingFailure(
                    .decoding, type: payload.kind.type,
                    reason: "what version \(version) is decoded as has no form in \(payload.kind.contentType)")
            }
            var scratch = CodingScratch()
            do throws(CodingFailure) {
                return try coding.decode(payload.bytes.span.bytes, scratch: &scratch)
            } catch {
                // The type that a version is decoded as is a detail of the program.
                throw CodingFailure(
                    .decoding, type: "\(payload.kind.type) version \(version)", path: error.path, reason: error.reason)
            }
        }
    }

    /// Reads a value of an earlier version, or under another name, in the coding that it was written in.
    func read(_ payload: Payload) throws(CodingFailure) -> Value {
        let version = payload.kind.version
        guard version >= oldest else {
            throw failure("it is version \(version), and this program reads \(oldest) and later ones")
        }
        guard version <= current else {
            throw failure("it is version \(version), written by a newer program: this one knows up to \(current)")
        }
        let forms = versions[Int(version - oldest)]
        var failures: [CodingFailure] = []
        for form in forms {
            do {
                return try form(payload)
            } catch let failure as CodingFailure {
                failures.append(failure)
            } catch {
                throw failure("version \(version) cannot be converted to \(current): \(type(of: error))")
            }
        }
        if failures.count == 1 { throw failures[0] }
        // Which of them it should have been is unknown.
        let reasons = failures.map { $0.path.isEmpty ? $0.reason : "at \($0.path): \($0.reason)" }
        throw failure("no form of version \(version) fits: \(reasons.joined(separator: "; "))")
    }

    private func failure(_ reason: String) -> CodingFailure {
        CodingFailure(.decoding, type: name, reason: reason)
    }
}
