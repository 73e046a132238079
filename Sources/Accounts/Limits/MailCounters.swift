/// The counters that a requested e-mail raises: of the client that asks, of the mailbox, and of both together.
///
/// Half of a mailbox's e-mails are reserved for clients that the address signed in from (``KnownClient``): all other
/// clients together use at most the other half of an hour's and a day's. Any one client uses at most half of an hour's.
struct MailCounters {
    /// A counter with its limit.
    struct Counter {
        let use: CounterUse
        let limit: Limit
        /// The name of the setting of the limit, such as `limits.mailsPerAddress`, for the log.
        let setting: String

        /// When the counter's window ends, in milliseconds since 1970.
        var end: Int64 { use.windowStart + limit.window }
    }

    private let counters: [Counter]

    /// Makes the counters of one e-mail.
    ///
    /// - Parameters:
    ///   - mailbox: the keyed hash of the address in the form of ``Mailbox/folded(_:)``.
    ///   - client: the keyed hash of the client's network address.
    ///   - isExempt: whether the client is in a network that no limit of networks applies to.
    ///   - policy: the limits.
    ///   - now: milliseconds since 1970.
    init(of mailbox: String, from client: String, isExempt: Bool = false, policy: Policy, at now: Int64) {
        func counter(
            _ name: String,
            _ limit: Limit,
            _ setting: String,
            _ amount: CounterUse.Amount = .one
        ) -> Counter {
            let use = CounterUse(name, windowStart: now - now % limit.window, amount: amount)
            return Counter(use: use, limit: limit, setting: "limits.\(setting)")
        }
        let hourly = policy.mailsPerAddress, daily = policy.mailsPerAddressDaily
        let ofClient = isExempt ? [] : [counter("mails:\(client)", policy.mailsPerClient, "mailsPerClient")]
        counters =
            ofClient + [
                counter(Self.name(of: mailbox), hourly, "mailsPerAddress"),
                counter("mails:\(mailbox):\(client)", hourly.half, "mailsPerAddress"),
                counter("mails-daily:\(mailbox)", daily, "mailsPerAddressDaily"),
                counter("strangers:\(mailbox)", hourly.half, "mailsPerAddress", .oneOfStranger),
                counter("strangers-daily:\(mailbox)", daily.half, "mailsPerAddressDaily", .oneOfStranger),
            ]
    }

    /// The name of the counter that every requested e-mail to a mailbox raises.
    static func name(of mailbox: String) -> String { "mails:\(mailbox)" }

    /// The uses by which one e-mail raises the counters.
    var uses: [CounterUse] { counters.map(\.use) }

    /// Returns the counter that exceeds its limit; if several do, the one that ends last, because all limits have to be
    /// kept; `nil` if none does.
    ///
    /// - Parameter used: the new count of each counter, by name.
    func exceeded(by used: [String: Int64]) -> Counter? {
        counters.filter { used[$0.use.name, default: 0] > $0.limit.count }.max { $0.end < $1.end }
    }
}

extension Limit {
    /// Half of the limit, at least one.
    fileprivate var half: Limit { Limit(count: max(1, count / 2), window: window) }
}
