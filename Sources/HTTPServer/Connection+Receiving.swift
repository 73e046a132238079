internal import Synchronization

/// Receiving a request: its head, and its body in pieces.
extension Connection {
    func receiveHead(_ target: UnsafeBufferPointer<UInt8>, _ method: UnsafePointer<CChar>) -> Bool {
        phase = .receiving
        let check = handle.checkHead()
        originCount = check.originCount
        self.method = unsafe Method(method)
        guard let parsed = unsafe RequestTarget(target) else {
            path = ""
            match = RouteMatch(kind: .malformed, access: .closed, path: nil)
            return refuse(HTTPError.malformed("The request target is not valid."))
        }
        let bytes = unsafe UnsafeBufferPointer(rebasing: target[parsed.path])
        match = unsafe core.table.find(bytes.span)
        path = unsafe match.path ?? String(decoding: bytes, as: UTF8.self)
        authority = parsed.authority
        if let failure = check.failure { return refuse(failure) }
        guard handle.headSize <= core.configuration.maximumHead else { return refuse(HTTPError.headTooLarge) }
        guard !hasTooManyParameters else {
            return refuse(HTTPError.malformed("A query may have at most \(Self.maximumParameters) parameters."))
        }
        if let refusal = refusalBeforeBody(check) { return refuse(refusal) }
        bodyLimit = match.maximumBody(for: self.method) ?? usualBodyLimit(hasBearer: check.hasBearer)
        guard let length = check.length, length > 0 else { return true }
        guard length <= bodyLimit else { return refuse(HTTPError.bodyTooLarge(limit: bodyLimit)) }
        // Reserves memory for what may arrive soon, not for the announced length.
        body.reserveCapacity(min(length, 16 << 10))
        return true
    }

    func usualBodyLimit(hasBearer: Bool) -> Int {
        let limit = core.configuration.maximumBody
        return hasBearer ? limit : min(limit, core.configuration.maximumBodyWithoutBearer ?? limit)
    }

    /// Runs the checks that see the head only: the gate's, the rules for clients and for web pages, and the
    /// route's own.
    ///
    /// Returns the error of the first check that fails; `nil` if all pass.
    func refusalBeforeBody(_ head: HeadCheck) -> (any Error)? {
        let check = match.beforeBody(for: method)
        let webCallers = head.isFromBrowser && match.access == .callable ? core.table.webCallers : nil
        let clients = core.table.clients.flatMap { $0.isActive ? $0 : nil }
        guard core.table.gate != nil || clients != nil || webCallers != nil || check != nil else { return nil }
        prepareRequest()
        defer {
            request?.detachIfShared()
            request = nil
        }
        guard let request else { return nil }
        do {
            try core.table.gate?(request)
            try clients?.check(request)
            try webCallers?.check(request, hasBody: head.announcesBody)
            try check?(request)
            return nil
        } catch {
            return error
        }
    }

    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= bodyLimit - body.count else {
            body = []
            prepareRequest()
            lingers = true
            // The library accepts no response while a body arrives. This one bypasses it, and then the connection ends.
            let answer = errorAnswer(HTTPError.bodyTooLarge(limit: bodyLimit))
            measure(status: answer.status)
            let bytes = RawAnswer.bytes(answer, extra: extraHeaders(of: answer))
            _ = handle.send(bytes, isEncrypted: core.configuration.tls != nil)
            return false
        }
        unsafe body.append(contentsOf: piece)
        return true
    }

    /// Responds with an error before the body was read.
    ///
    /// The library then closes the connection. Returns false if the library does not accept the response.
    func refuse(_ error: any Error) -> Bool {
        lingers = true
        record.isReceiving.store(false, ordering: .relaxed)
        prepareRequest()
        return answer(errorAnswer(error))
    }
}
