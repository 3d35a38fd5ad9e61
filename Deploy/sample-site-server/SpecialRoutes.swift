import MobiusProcess

/// The addresses of the sample site that files alone cannot provide: redirects, errors, wrong headers and delays.
struct SpecialRoutes: Sendable {
    private let redirects: [String: (Int, String)] = [
        "/lighthouse": (301, "/archive/2019/lighthouse.html"),
        "/timetable": (301, "/tides.html"),
        "/timetable-today": (302, "tides.html"),
        "/timetable-winter": (301, "/timetable-1999.html"),
        "/island": (302, "/island-2"),
        "/island-2": (307, "/island-3"),
        "/island-3": (308, "/ferries.html"),
        "/round-trip": (302, "/round-trip-back"),
        "/round-trip-back": (302, "/round-trip"),
        "/roundabout": (301, "/roundabout"),
        "/pier-3": (301, "/ferries.html#pier-3"),
        "/pier-9": (301, "/ferries.html#pier-9"),
    ]

    /// The answer at a special address; `nil` at all others.
    func response(to path: String, method: String) async -> Response? {
        if let (status, location) = redirects[path] { return .redirect(status, location) }
        switch path {
        case "/buoys/4": return .page(500, "The buoy service is adrift")
        case "/regatta-1987": return .page(410, "The regatta is over")
        case "/images/webcam.png": return .page(200, "The webcam is being cleaned")
        case "/chart.js": return .page(200, "Please log in to see the chart")
        case "/plain.css":
            return .init(200, type: "text/plain; charset=utf-8", Array("main { letter-spacing: 0; }\n".utf8))
        case "/search": return .page(200, "Nothing found")
        case "/no-head": return method == "HEAD" ? .page(405, "Not with HEAD") : .page(200, "A neighbour")
        case "/soundings":
            // Longer than any audit waits. The end of the process ends it.
            try? await Task.sleep(for: .seconds(120))
            return .page(200, "Eleven fathoms")
        default: return nil
        }
    }
}
