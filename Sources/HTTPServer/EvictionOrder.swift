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
    /// - Returns: at most `count` connections.
    static func first(_ count: Int, of connections: [ConnectionRecord]) -> [ConnectionRecord] {
        var sites = Dictionary(grouping: connections) { NetworkPrefix.site(of: $0.address) }.values
            // The youngest first, so that the oldest is last and cheap to take.
            .map { site in site.sorted { isOlder($1, than: $0) } }
            .sorted { $0.count > $1.count }
        var chosen: [ConnectionRecord] = []
        while chosen.count < count, let largest = sites.first?.count, largest > 0 {
            // One connection of each network that holds as many as the first. The order stays as it is by that.
            for index in sites.indices {
                guard chosen.count < count, sites[index].count == largest, let oldest = sites[index].popLast() else {
                    break
                }
                chosen.append(oldest)
            }
        }
        return chosen
    }

    private static func isOlder(_ one: ConnectionRecord, than other: ConnectionRecord) -> Bool {
        (one.idleSince.load(ordering: .relaxed), one.id) < (other.idleSince.load(ordering: .relaxed), other.id)
    }
}
