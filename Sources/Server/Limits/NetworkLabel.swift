internal import Accounts
internal import HTTPServer
internal import Network
internal import Tokens

/// The label under which the log and the trace name a network.
///
/// It is a short keyed hash of the range that one site usually has, the /48 of an IPv6 address or the /24 of an IPv4
/// address. Equal networks have equal labels until the server's secret is rotated, and a label does not reveal its
/// network (invariant 7).
enum NetworkLabel {
    /// Returns the label of a network; an empty text if OpenSSL fails.
    static func make(_ network: NetworkPrefix, _ secrets: ServerSecrets) -> String {
        guard let hash = try? KeyedHash.make(network.description, purpose: "network", secrets: secrets) else {
            return ""
        }
        return String(hash.suffix(16))
    }
}

extension Services {
    /// The label of the network that a request comes from.
    func networkLabel(of request: Request) -> String { networkLabel(of: request.clientAddress) }

    /// The label of the network of a client.
    func networkLabel(of client: IPAddress) -> String { NetworkLabel.make(.site(of: client), secrets) }

    /// The requesting device, as the trace describes it.
    func tracedDevice(of request: Request) -> TracedDevice {
        TracedDevice(name: deviceName(of: request), network: networkLabel(of: request))
    }
}
