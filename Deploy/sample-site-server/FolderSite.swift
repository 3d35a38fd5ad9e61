import Foundation
import MobiusProcess

/// A folder of files, read once at the start, and the special addresses of the sample site.
struct FolderSite: Site {
    private var files: [String: Data] = [:]
    private let special = SpecialRoutes()

    /// Reads every file below `root`; throws when the folder does not exist.
    init(root: String) throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            // Folders have no contents and are skipped.
            guard let content = FileManager.default.contents(atPath: "\(root)/\(path)") else { continue }
            files["/" + path.precomposedStringWithCanonicalMapping] = content
        }
    }

    func response(to request: Request) async -> Response {
        let path = request.path
        if let response = await special.response(to: path, method: request.method) { return response }
        guard let name = path.removingPercentEncoding else { return .page(400, "Bad address") }
        if files[name + "/index.html"] != nil { return .redirect(301, path + "/") }
        let file = name.hasSuffix("/") ? name + "index.html" : name
        guard let content = files[file] else { return .page(404, "Not found") }
        let type = Self.types[String(file.split(separator: ".").last ?? "")] ?? "application/octet-stream"
        guard type.hasPrefix("text/html") else { return .init(200, type: type, Array(content)) }
        let port = request.host.split(separator: ":").last ?? "80"
        return .init(200, type: type, Self.replacePort(in: content, by: port))
    }

    /// In pages, `{{port}}` stands for the server's port, for links to the server under another host name.
    private static func replacePort(in page: Data, by port: Substring) -> [UInt8] {
        let mark = Data("{{port}}".utf8)
        var page = page
        while let range = page.firstRange(of: mark) { page.replaceSubrange(range, with: Data(port.utf8)) }
        return Array(page)
    }

    private static let types = [
        // No charset here: each page declares its own.
        "html": "text/html", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "txt": "text/plain; charset=utf-8", "json": "application/json", "svg": "image/svg+xml", "png": "image/png",
        "gif": "image/gif", "jpg": "image/jpeg", "webm": "video/webm", "pdf": "application/pdf",
        "xml": "application/xml", "ico": "image/vnd.microsoft.icon",
    ]
}

extension Response {
    /// A page with only a message.
    static func page(_ status: Int, _ title: String) -> Response {
        let html = "<!DOCTYPE html>\n<title>\(title)</title>\n<h1>\(title)</h1>\n"
        return .init(status, type: "text/html; charset=utf-8", Array(html.utf8))
    }

    static func redirect(_ status: Int, _ location: String) -> Response {
        var response = page(status, "Moved")
        response.headers.append((name: "Location", value: location))
        return response
    }
}
