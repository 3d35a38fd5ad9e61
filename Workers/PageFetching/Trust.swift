import CLibCurl

/// The certificate authorities that are trusted: those of the system, and the caller's.
package struct Trust: Sendable, Equatable {
    /// A file of certificates in PEM.
    private let file: String?
    /// A folder of them, named by `openssl rehash`; several are separated by colons.
    private let directory: String?

    /// Those of `file`, else those that `environment` names as OpenSSL reads it: `SSL_CERT_FILE`, `SSL_CERT_DIR`.
    package init(file: String? = nil, environment: [String: String] = [:]) {
        self.file = Self.own(file ?? environment["SSL_CERT_FILE"], System.file)
        directory = Self.own(environment["SSL_CERT_DIR"], System.directory)
    }

    /// `nil` for what is the system's anyway.
    private static func own(_ path: String?, _ system: String?) -> String? {
        path?.isEmpty == false && path != system ? path : nil
    }

    /// The places where libcurl looks by itself.
    private enum System {
        static let file = path(\.cainfo)
        static let directory = path(\.capath)

        private static func path(_ field: KeyPath<curl_version_info_data, UnsafePointer<CChar>?>) -> String? {
            curl_version_info(CURLVERSION_SEVENTH)?.pointee[keyPath: field].map { String(cString: $0) }
        }
    }

    func set(on easy: UnsafeMutableRawPointer) {
        // libcurl remembers what is in a file if there is no folder; otherwise it reads the file for each connection, which
        // costs 25 ms where that is the system's. In a folder OpenSSL looks up what it needs.
        if file == nil, directory == nil {
            if System.file != nil { _ = clibcurl_set_text(easy, CURLOPT_CAPATH, nil) }
            return
        }
        if file != nil || System.directory != nil { _ = clibcurl_set_text(easy, CURLOPT_CAINFO, file) }
        let directories = [directory, System.directory].compactMap { $0 }
        _ = clibcurl_set_text(
            easy, CURLOPT_CAPATH, directories.isEmpty ? nil : directories.joined(separator: ":"))
    }
}
