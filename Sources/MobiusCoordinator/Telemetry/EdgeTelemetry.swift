import MobiusEngine
import MobiusTelemetry

/// What a ``CoordinatorEdge`` tells of itself; used on the socket thread only.
struct EdgeTelemetry {
    let vitals: Vitals
    /// What is counted, where somebody looks.
    let metrics: CoordinatorMetrics?
    /// Who wants to see the fleet, where somebody does.
    let views: FleetViews?

    /// The edge goes round, at this moment; it gives a view of its machine when somebody wants one.
    func goesRound(at now: Moment, _ view: () -> FleetView) {
        vitals.beat(at: now.nanoseconds)
        views?.make {
            let view = view()
            metrics?.know(view.pools)
            return view
        }
    }
}
