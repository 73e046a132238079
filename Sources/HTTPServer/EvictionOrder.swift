internal import Network
internal import Synchronization

/// The order in which connections are closed when connections run out.
///
/// Of the network (the /24 of an IPv4 address, the /48 of an IPv6 address) with the most waiting connections, the one
/// that has waited longest is closed first. A client from a network with few connections keeps its connection as long
/// as any network has more.
enum EvictionOrder {
    /// Returns the connections to close first.
    ///
    /// - Parameters:
    ///   - count: the number to choose.
    ///   - connections: connections that wait for their clients.
    ///   - mayClose: whether a connection may be closed; called for candidates only.
    /// - Returns: at most `count` connections.
    static func first(
        _ count: Int,
        of connections: [ConnectionRecord],
        where mayClose: (ConnectionRecord) -> Bool
    ) -> [ConnectionRecord] {
        // The times are read once, because the connections' threads may change them meanwhile.
        let waiting = connections.map { (record: $0, since: $0.idleSince.load(ordering: .relaxed)) }
        var sites = Dictionary(grouping: waiting) { NetworkPrefix.site(of: $0.record.address) }.values
            // The newest first, so that the oldest is last and cheap to remove.
            .map { site in site.sorted { ($0.since, $0.record.id) > ($1.since, $1.record.id) } }
            .sorted { $0.count > $1.count }
        var chosen: [ConnectionRecord] = []
        while chosen.count < count, let largest = sites.first?.count, largest > 0 {
            // Takes one connection from each network that has as many as the first, which preserves the order.
            for index in sites.indices {
                guard chosen.count < count, sites[index].count == largest, let oldest = sites[index].popLast() else {
                    break
                }
                if mayClose(oldest.record) { chosen.append(oldest.record) }
            }
        }
        return chosen
    }
}
