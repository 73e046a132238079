internal import Network
internal import Synchronization

/// Which connections to close first when connections run out.
///
/// Of the network that holds the most connections, the oldest one goes first. A client from a network with few connections
/// keeps its connection for as long as any network has more.
enum EvictionOrder {
    /// The connections to close first.
    ///
    /// - Parameters:
    ///   - count: how many to choose.
    ///   - connections: connections that wait for their clients.
    ///   - mayClose: whether a connection may be closed; asked of those whose turn it is.
    /// - Returns: at most `count` connections.
    static func first(
        _ count: Int,
        of connections: [ConnectionRecord],
        where mayClose: (ConnectionRecord) -> Bool
    ) -> [ConnectionRecord] {
        // Their times are read once, since their threads may change them meanwhile.
        let waiting = connections.map { (record: $0, since: $0.idleSince.load(ordering: .relaxed)) }
        var sites = Dictionary(grouping: waiting) { NetworkPrefix.site(of: $0.record.address) }.values
            // The youngest first, so that the oldest is last and cheap to take.
            .map { site in site.sorted { ($0.since, $0.record.id) > ($1.since, $1.record.id) } }
            .sorted { $0.count > $1.count }
        var chosen: [ConnectionRecord] = []
        while chosen.count < count, let largest = sites.first?.count, largest > 0 {
            // One connection of each network that holds as many as the first. The order stays as it is by that.
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
