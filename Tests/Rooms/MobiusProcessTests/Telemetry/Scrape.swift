import FleetTestSupport
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a process serves over HTTP.
struct Scrape: Sendable {
    let address: String

    /// The address that the process says it serves at.
    init(of process: TestProcess) async throws {
        let words = "serving probes and metrics"
        try await process.log(words)
        let line = process.errors.elements.last { $0.contains(words) } ?? ""
        func value(_ name: String) -> Substring {
            line.split(separator: " ").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) ?? ""
        }
        address = "\(value("address")):\(value("port"))"
    }

    /// Status and text of a path.
    func get(_ path: String, method: String = "GET") async throws -> (status: Int, text: String, type: String) {
        guard let url = URL(string: "http://\(address)\(path)") else { preconditionFailure("\(path) is no path") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = response as? HTTPURLResponse
        return (
            http?.statusCode ?? 0, String(decoding: data, as: UTF8.self),
            http?.value(forHTTPHeaderField: "Content-Type") ?? ""
        )
    }

    /// All samples by name and labels.
    func metrics() async throws -> [String: Double] {
        let text = try await get("/metrics").text
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(into: [:]) { samples, line in
            guard let space = line.lastIndex(of: " ") else { return }
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
    }

    /// Waits until samples are as the condition wants them.
    func eventually(_ what: String, _ condition: ([String: Double]) -> Bool) async throws {
        try await FleetTestSupport.eventually(what) { condition(try await metrics()) }
    }
}
