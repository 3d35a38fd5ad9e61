import MobiusEngine

/// The telemetry of a ``CoordinatorEdge``; used by the socket thread.
struct EdgeTelemetry {
    /// Records that the socket thread is alive.
    let beat: (Moment) -> Void
    /// The metrics; `nil` if metrics are disabled.
    let metrics: CoordinatorMetrics?
    /// The requested views of the fleet; `nil` if metrics are disabled.
    let views: FleetViews?

    /// Records at the start of a round that the socket thread is alive, and makes a view if one was requested.
    func roundBegan(at now: Moment, _ view: () -> FleetView) {
        beat(now)
        views?.make {
            let view = view()
            metrics?.know(view.pools)
            return view
        }
    }
}
