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
                .response(show(try message(request), pages))
            }
        )
        router.add(
            .get,
            "/mailbox/messages/{id}/html",
            cors: false,
            services.guarded { request in
                .response(frame(try message(request)))
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
        let rows = server.messages.reversed().map { message in
            let mail = message.parsed
            return
                (try? pages.templates.fragment(
                    "mailbox-row",
                    [
                        "path": "/mailbox/messages/\(message.id)", "subject": mail.subject, "to": mail.to,
                        "time": Timestamp.minute(milliseconds: message.receivedAt),
                    ]
                )) ?? ""
        }
        return pages.page("mailbox", locale: "en", ["title": "Mailbox", "rows": rows.joined()])
    }

    private func show(_ message: SMTPMessage, _ pages: Pages) -> Response {
        let mail = message.parsed
        let links = mail.links.map { (try? pages.templates.fragment("mailbox-link", ["link": $0])) ?? "" }
        return pages.page(
            "mailbox-message",
            locale: "en",
            [
                "title": mail.subject, "subject": mail.subject, "from": mail.from, "to": mail.to,
                "time": Timestamp.minute(milliseconds: message.receivedAt), "text": mail.text ?? "",
                "framePath": "/mailbox/messages/\(message.id)/html", "links": links.joined(),
            ],
            additionalPolicy: "; frame-src 'self'"
        )
    }

    /// An e-mail's HTML version, for the sandboxed frame.
    ///
    /// The frame allows styles, `data:` images and links that open new windows, but no scripts and nothing that is
    /// loaded from elsewhere.
    private func frame(_ message: SMTPMessage) -> Response {
        var response = Response.html(message.parsed.html ?? "")
        response.headers += [
            (
                name: "Content-Security-Policy",
                value: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
                    + "sandbox allow-popups allow-popups-to-escape-sandbox"
            ),
            (name: "Cache-Control", value: "no-store"), (name: "Referrer-Policy", value: "no-referrer"),
            (name: "X-Content-Type-Options", value: "nosniff"),
        ]
        return response
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
