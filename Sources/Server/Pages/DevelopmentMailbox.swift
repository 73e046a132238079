internal import Accounts
internal import HTTPServer
internal import JSON
internal import SMTPHarness

/// The mailbox of development mode: an SMTP server on this machine, and pages that show the received e-mails.
struct DevelopmentMailbox: Sendable {
    private let server: SMTPServer

    /// Starts the mailbox; `nil` outside development mode, or if a mail server is configured.
    ///
    /// - Parameters:
    ///   - configuration: contains the address to listen on. If that port is in use, another one is chosen.
    ///   - announce: prints lines for the developer at the terminal: the recipient, subject and links of each e-mail,
    ///     and the port if it is not the configured one.
    /// - Throws: ``StartError``.
    init?(_ configuration: Configuration, announce: @escaping @Sendable (String) -> Void) throws {
        guard configuration.mode == .development, configuration.smtpURL == nil else { return nil }
        guard let address = ListenAddress(configuration.mailboxListen), case .ip(let host, let port) = address else {
            throw StartError.invalidAddress(setting: "mailboxListen", configuration.mailboxListen)
        }
        do {
            server = try SMTPServer(.mailbox(address: "\(host)", port: port))
            let actual = try server.start()
            if server.usesFallbackPort {
                announce(
                    "The mailbox accepts e-mails on port \(actual), because \(configuration.mailboxListen) is in use."
                )
            }
        } catch {
            throw StartError.mailboxUnavailable("\(error)")
        }
        server.onMessage { message in
            let mail = message.parsed
            announce("E-mail for \(mail.to): \(mail.subject)")
            for link in mail.links { announce("  \(link)") }
        }
    }

    /// The URL that the mail workers send to.
    var smtpURL: String { "smtp://\(server.configuration.address):\(server.port)" }

    /// Stops the server and drops the received e-mails.
    func stop() {
        server.stop()
    }

    /// Deletes the received e-mails.
    func clear() {
        server.clear()
    }

    /// Adds the pages, and for scripts the same content as JSON and a call that deletes all e-mails.
    func addRoutes(to router: inout Router, services: Services) {
        let pages = services.pages
        router.add(.get, "/mailbox", cors: false, services.guarded { _ in .response(list(pages)) })
        router.add(.get, "/mailbox/messages", cors: false, services.guarded { _ in .response(json()) })
        router.add(.get, "/auth/mailbox.js", cors: false, services.guarded { _ in .response(MailboxScript.response) })
        router.add(
            .delete,
            "/mailbox/messages",
            cors: false,
            services.guarded { _ in
                clear()
                return .response(.json([UInt8]("{}".utf8)))
            }
        )
        router.add(
            .get,
            "/mailbox/messages/{id}",
            cors: false,
            services.guarded { request in
                .response(show(try message(request), pages, scheme: request.queryValue("scheme")))
            }
        )
        router.add(
            .get,
            "/mailbox/messages/{id}/html",
            cors: false,
            services.guarded { request in
                .response(
                    MailFrame.response(
                        try message(request).parsed.html ?? "",
                        scheme: request.queryValue("scheme"),
                        images: "'self' data:"
                    )
                )
            }
        )
    }

    private func message(_ request: Request) throws -> SMTPMessage {
        guard let message = server.messages.first(where: { $0.id == request.parameters["id"] }) else {
            throw RequestError.notFound
        }
        return message
    }

    private func list(_ pages: Pages) -> Response {
        pages.mailbox(server.messages.reversed().map(entry))
    }

    private func show(_ message: SMTPMessage, _ pages: Pages, scheme: String?) -> Response {
        let mail = message.parsed, entry = entry(message)
        return pages.mailboxMessage(
            entry,
            text: mail.text ?? "",
            links: mail.links,
            frame: "\(entry.path)/html",
            scheme: scheme
        )
    }

    private func entry(_ message: SMTPMessage) -> MailboxEntry {
        let mail = message.parsed
        return MailboxEntry(
            path: "/mailbox/messages/\(message.id)",
            subject: mail.subject,
            from: mail.from,
            to: mail.to,
            time: Timestamp.minute(milliseconds: message.receivedAt)
        )
    }

    private func json() -> Response {
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.beginArray("messages")
        for message in server.messages.reversed() {
            let mail = message.parsed
            json.beginObject()
            json.member("id", message.id)
            json.member("from", message.sender)
            json.member("to", JSONValue.array(message.recipients.map { .string($0) }))
            json.member("subject", mail.subject)
            json.member("receivedAt", Timestamp.rfc3339(milliseconds: message.receivedAt))
            json.member("links", JSONValue.array(mail.links.map { .string($0) }))
            json.member("text", mail.text)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .json(json.bytes)
    }
}
