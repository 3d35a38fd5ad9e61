import Foundation
import SiteAudit

/// Resolves references by Site Audit's rules, for Tests/Checks/URLs: reads lines of JSON with `base` and `reference`, and
/// prints for each the absolute URL, the scheme with its colon when it is another than http and https, or `invalid`.
@main
enum ResolveLinks {
    private struct Link: Decodable {
        var base: String
        var reference: String
    }

    static func main() throws {
        let decoder = JSONDecoder()
        while let line = readLine() {
            let link = try decoder.decode(Link.self, from: Data(line.utf8))
            switch WebURL(link.base)?.resolve(link.reference) {
            case .web(let url, _): print(url)
            case .skipped(let scheme): print(scheme + ":")
            case .invalid, nil: print("invalid")
            }
        }
    }
}
