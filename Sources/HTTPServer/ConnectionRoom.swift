/// Keeps room for new connections when connections run out.
struct ConnectionRoom: Sendable {
    let registry: ConnectionRegistry
    /// How many connections may be open in all.
    let limit: Int
    let onEvent: @Sendable (ServerEvent) -> Void

    /// Closes connections that wait for their clients when there are nearly as many connections as there may be.
    ///
    /// Before the library's own limit, at which it accepts nothing more.
    func keep() {
        let margin = min(64, max(1, limit / 16))
        let count = registry.makeRoom(limit: limit - margin, closing: margin, at: Moment.now)
        if count > 0 { onEvent(.connectionsEvicted(count)) }
    }
}
