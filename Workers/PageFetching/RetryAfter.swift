import CLibCurl
import Foundation

/// The header that says when to come back (RFC 9110, 10.2.3).
enum RetryAfter {
    /// The number of seconds from now, at least 0, rounded up; `nil` when the value is neither a number nor a date.
    static func seconds(_ value: String) -> Int? {
        if value.isEmpty == false, value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            return Int(value) ?? .max
        }
        let date = curl_getdate(value, nil)
        guard date >= 0 else { return nil }
        return Int(min(max(0, (Double(date) - Date().timeIntervalSince1970).rounded(.up)), 1e9))
    }
}
