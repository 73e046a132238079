internal import HTTPServer

extension Services {
    /// The routes of the metrics listener: `/metrics`, and the health checks of the public listener.
    ///
    /// - Parameter page: the metrics.
    func metricsRouter(_ page: MetricsPage, from router: Router) -> Router {
        let health: Set = ["/healthz", "/readyz"]
        var metrics = router.closed(behind: { _ in }, keeping: { health.contains($0) })
        add(page, to: &metrics)
        return metrics
    }

    /// Adds `/metrics` to the router of a private listener.
    func add(_ page: MetricsPage, to router: inout Router) {
        router.add(.get, MetricsPage.path) { .response(page.respond(to: $0)) }
    }
}
