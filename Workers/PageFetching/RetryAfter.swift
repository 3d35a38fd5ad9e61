import Foundation

/// The header that says when to come back (RFC 9110, 10.2.3).
enum RetryAfter {
    /// How many seconds from now, at least 0; `nil` when the value is neither a number nor a date.
    static func seconds(_ value: String) -> Int? {
        let value = value.trimmingASCIISpace
        if value.isEmpty == false, value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            return Int(value) ?? .max
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: value).map { Int(min(max(0, $0.timeIntervalSinceNow.rounded(.up)), 1e9)) }
    }
}

/// The header that carries user and password (RFC 7617).
enum BasicAuthorization {
    /// Its value for `user:password`.
    static func value(_ credentials: String) -> String { "Basic " + Data(credentials.utf8).base64EncodedString() }
}
