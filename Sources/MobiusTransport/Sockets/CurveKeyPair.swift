import CZeroMQ

/// A pair of CURVE keys, each 40 characters of Z85.
///
/// Neither its description nor its mirror shows the secret.
public struct CurveKeyPair: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The public key.
    public let publicKey: String
    /// The secret key.
    public let secretKey: String

    /// Makes a new pair from the system's random numbers.
    ///
    /// - Throws: `notSupported` when libzmq was built without CURVE.
    public static func generate() throws(ZeroMQError) -> CurveKeyPair {
        var failure: ZeroMQError?
        var secret = ""
        let publicKey = text { publicKey in
            secret = text { secretKey in
                if zmq_curve_keypair(publicKey, secretKey) != 0 { failure = .last("generate a CURVE key pair") }
            }
        }
        if let failure { throw failure }
        return CurveKeyPair(publicKey: publicKey, secretKey: secret)
    }

    /// The key pair of a secret key; the public key is computed from it.
    ///
    /// - Throws: `invalidArgument` when it is not 40 characters of Z85, `notSupported` without CURVE.
    public init(secretKey: String) throws(ZeroMQError) {
        guard secretKey.utf8.count == Self.keyLength else {
            throw ZeroMQError(.invalidArgument, "read a CURVE secret key: it has 40 characters")
        }
        var failure: ZeroMQError?
        publicKey = Self.text { publicKey in
            if zmq_curve_public(publicKey, secretKey) != 0 { failure = .last("read a CURVE secret key") }
        }
        self.secretKey = secretKey
        if let failure { throw failure }
    }

    private init(publicKey: String, secretKey: String) {
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The public key alone.
    public var description: String { "CurveKeyPair(publicKey: \(publicKey))" }
    /// The public key alone.
    public var debugDescription: String { description }
    /// The public key alone.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }

    /// Whether the text has the form of a key: 40 characters of Z85.
    public static func isKey(_ text: String) -> Bool {
        // libzmq looks characters up in a table without checking that they are in it.
        guard text.utf8.count == keyLength, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
            zmq_z85_decode(buffer.baseAddress, text) != nil
        }
    }

    /// The text of a key of 32 bytes.
    static func text(ofKey bytes: [UInt8]) -> String {
        text { _ = zmq_z85_encode($0, bytes, bytes.count) }
    }

    private static let keyLength = 40

    private static func text(_ fill: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: keyLength + 1) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return "" }
            fill(start)
            return String(cString: start)
        }
    }
}
