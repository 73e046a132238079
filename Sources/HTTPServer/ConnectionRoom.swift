/// Makes room for new connections near the connection limit.
struct ConnectionRoom: Sendable {
    let registry: ConnectionRegistry
    /// The maximum number of open connections of the server.
    let limit: Int
    let onEvent: @Sendable (ServerEvent) -> Void

    /// Closes up to 64 connections that wait for their clients, if the number of open connections is near the limit.
    ///
    /// At the limit itself, the library accepts no more connections.
    func keep() {
        let margin = min(64, max(1, limit / 16))
        let count = registry.makeRoom(limit: limit - margin, closing: margin, at: Moment.now)
        if count > 0 { onEvent(.connectionsEvicted(count)) }
    }
}
