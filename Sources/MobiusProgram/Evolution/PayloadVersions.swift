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
    /// One for each version from the oldest on.
    private let readers: [@Sendable (Payload) throws -> Value]

    /// Names a type and the oldest of its versions.
    ///
    /// - Parameters:
    ///   - name: 1…255 bytes of UTF-8, such as `shop.event`; never to be changed.
    ///   - formerly: Other names under which values were written.
    ///   - oldest: The number of that version, from 1: greater once older versions need not be read any more.
    ///   - first: What values of that version are decoded as.
    public init(_ name: String, formerly: String..., oldest: UInt16 = 1, startingWith first: Value.Type) {
        precondition((1...255).contains(name.utf8.count), "The name of a payload's type has 1 to 255 bytes.")
        precondition(oldest > 0, "Versions count from 1.")
        self.init(name: name, formerNames: Set(formerly), oldest: oldest, readers: [Self.reader(oldest)])
    }

    private init(
        name: String, formerNames: Set<String>, oldest: UInt16, readers: [@Sendable (Payload) throws -> Value]
    ) {
        self.name = name
        self.formerNames = formerNames
        self.oldest = oldest
        self.readers = readers
    }

    /// The version of `Value`, in which new values are written.
    public var current: UInt16 { oldest + UInt16(readers.count - 1) }

    /// Names the next version.
    ///
    /// - Parameters:
    ///   - next: What values of that version are decoded as; for the last, the type itself.
    ///   - upcast: Converts a value of the previous version. It must be pure. It throws if the value cannot be
    ///     converted, which holds its loop.
    public func then<Next>(
        _ next: Next.Type, _ upcast: @escaping @Sendable (Value) throws -> Next
    ) -> PayloadVersions<Next> {
        precondition(current < .max, "There are no more than \(UInt16.max) versions.")
        var readers: [@Sendable (Payload) throws -> Next] = readers.map { read in { try upcast(try read($0)) } }
        readers.append(PayloadVersions<Next>.reader(current + 1))
        return PayloadVersions<Next>(name: name, formerNames: formerNames, oldest: oldest, readers: readers)
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
        do {
            return try readers[Int(version - oldest)](payload)
        } catch let failure as CodingFailure {
            throw failure
        } catch {
            throw failure("version \(version) cannot be converted to \(current): \(type(of: error))")
        }
    }

    private func failure(_ reason: String) -> CodingFailure {
        CodingFailure(.decoding, type: name, reason: reason)
    }
}
