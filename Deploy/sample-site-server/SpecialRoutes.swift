import Hummingbird

/// The addresses of the sample site that files alone cannot provide: redirects, errors, wrong headers and delays.
struct SpecialRoutes: Sendable {
    private let redirects: [String: (HTTPResponse.Status, String)] = [
        "/lighthouse": (.movedPermanently, "/archive/2019/lighthouse.html"),
        "/timetable": (.movedPermanently, "/tides.html"),
        "/timetable-today": (.found, "tides.html"),
        "/timetable-winter": (.movedPermanently, "/timetable-1999.html"),
        "/island": (.found, "/island-2"),
        "/island-2": (.temporaryRedirect, "/island-3"),
        "/island-3": (.permanentRedirect, "/ferries.html"),
        "/round-trip": (.found, "/round-trip-back"),
        "/round-trip-back": (.found, "/round-trip"),
        "/roundabout": (.movedPermanently, "/roundabout"),
        "/pier-3": (.movedPermanently, "/ferries.html#pier-3"),
        "/pier-9": (.movedPermanently, "/ferries.html#pier-9"),
    ]

    /// The answer at a special address; `nil` at all others.
    func response(to path: String, method: HTTPRequest.Method) async -> Response? {
        if let (status, location) = redirects[path] { return .redirect(status, location) }
        switch path {
        case "/buoys/4": return .page(.internalServerError, "The buoy service is adrift")
        case "/regatta-1987": return .page(.gone, "The regatta is over")
        case "/images/webcam.png": return .page(.ok, "The webcam is being cleaned")
        case "/chart.js": return .page(.ok, "Please log in to see the chart")
        case "/plain.css":
            return .init(.ok, type: "text/plain; charset=utf-8", Array("main { letter-spacing: 0; }\n".utf8))
        case "/search": return .page(.ok, "Nothing found")
        case "/no-head": return method == .head ? .page(.methodNotAllowed, "Not with HEAD") : .page(.ok, "A neighbour")
        case "/soundings":
            // Longer than any audit waits. A shutdown ends it, when the answer no longer matters.
            try? await Pause.sleep(for: .seconds(120))
            return .page(.ok, "Eleven fathoms")
        default: return nil
        }
    }
}
