internal import Accounts
internal import Glibc
internal import HTTPServer
internal import JSON

/// The JSON body of a call, read by the rules of Identity Toolkit (contract, 1.3).
///
/// Keys are accepted in camel case and in snake case, and `null` means not given. Unknown keys are ignored, unless a
/// call refuses them (``refuseUnknown(besides:)``).
///
/// An object inside a body is a `RequestBody` as well.
struct RequestBody {
    /// The object as received, with its spelling of the keys.
    let object: JSONObject
    /// The path of the object in the whole body, for messages: empty for the body itself, otherwise for example
    /// `/users/3`.
    private let place: String

    /// Parses the body; an empty one counts as `{}`.
    ///
    /// - Throws: ``RequestError`` for a body that is not a JSON object, repeats a key, nests too deep or contains
    ///   U+0000.
    init(_ request: Request) throws {
        place = ""
        guard !request.body.isEmpty else {
            object = JSONObject()
            return
        }
        let value: JSONValue
        do {
            value = try JSONValue.parse(request.body)
        } catch {
            throw RequestError.malformed("\(error)")
        }
        guard let object = value.object else { throw RequestError.malformed("The body must be a JSON object.") }
        // Only an escape can stand for U+0000 (RFC 8259, 7), and almost no body contains an escape.
        guard !Self.hasBackslash(request.body) || !value.containsNUL else {
            throw RequestError.malformed("U+0000 is not allowed in a string.")
        }
        self.object = object
    }

    private static func hasBackslash(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe memchr($0, Int32(UInt8(ascii: "\\")), bytes.count) != nil } ?? false
        }
    }

    /// Wraps an object that was parsed already.
    ///
    /// - Parameters:
    ///   - object: the object, without U+0000.
    ///   - place: the path of the object in the whole body, for messages.
    init(_ object: JSONObject, at place: String) {
        self.object = object
        self.place = place
    }

    /// Whether a key is given, in camel case or in snake case, with any value but `null`.
    func has(_ name: String) -> Bool {
        value(name) != nil
    }

    /// Refuses keys that are not in the list in exactly this spelling, for calls in which a misspelt key would do harm.
    ///
    /// - Throws: ``RequestError`` naming the first unknown key.
    func refuseUnknown(besides known: Set<String>) throws {
        if let unknown = object.members.lazy.map(\.name).first(where: { !known.contains($0) }) {
            throw RequestError.schema(
                "\(place)/\(unknown) is not known; allowed are \(known.sorted().joined(separator: ", "))"
            )
        }
    }

    /// Refuses a body that names a tenant, whose users would be other users than those of this server.
    ///
    /// - Throws: ``Refusal`` UNSUPPORTED_TENANT_OPERATION, or ``RequestError`` for a value that is no string.
    func refuseTenant() throws {
        guard try nonEmptyString("tenantId") == nil else { throw Refusal(.unsupportedTenantOperation) }
    }

    /// Whether a key is present in exactly this spelling, even with `null`.
    func mentions(_ name: String) -> Bool {
        object[name] != nil
    }

    /// A string, or `nil` if it is not given.
    ///
    /// - Throws: ``RequestError`` for a value of another type or longer than `limit` bytes.
    func string(_ name: String, limit: Int = 8192) throws -> String? {
        guard let value = value(name) else { return nil }
        guard let string = value.string else { throw RequestError.schema("\(place)/\(name) must be string") }
        guard string.utf8.count <= limit else {
            throw RequestError.schema("\(place)/\(name) must NOT have more than \(limit) bytes")
        }
        return string
    }

    /// A string, or `nil` if it is not given or empty.
    ///
    /// - Throws: as ``string(_:limit:)`` does.
    func nonEmptyString(_ name: String, limit: Int = 8192) throws -> String? {
        try string(name, limit: limit).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A nested object, or `nil` if it is not given.
    ///
    /// - Throws: ``RequestError`` for a value of another type.
    func object(_ name: String) throws -> RequestBody? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw RequestError.schema("\(place)/\(name) must be object") }
        return RequestBody(object, at: "\(place)/\(name)")
    }

    /// A list of objects, or `nil` if it is not given.
    ///
    /// The caller must limit the number of objects.
    ///
    /// - Throws: ``RequestError`` if the value is not a list, or contains anything but objects.
    func objects(_ name: String) throws -> [RequestBody]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw RequestError.schema("\(place)/\(name) must be array") }
        return try array.enumerated().map { index, element in
            guard let object = element.object else {
                throw RequestError.schema("\(place)/\(name)/\(index) must be object")
            }
            return RequestBody(object, at: "\(place)/\(name)/\(index)")
        }
    }

    /// A 64-bit integer, given as a JSON number or as a string (contract, 1.3), or `nil` if it is not given.
    ///
    /// - Throws: ``RequestError`` for any other value.
    func int64(_ name: String) throws -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64 ?? value.string.flatMap({ Int64($0) }) else {
            throw RequestError.schema("\(place)/\(name) must be string with format int64")
        }
        return number
    }

    /// A time, counted in units since 1970, or `nil` if it is not given.
    ///
    /// - Parameters:
    ///   - name: the key.
    ///   - unitsPerSecond: 1 for seconds, 1000 for milliseconds.
    /// - Throws: ``RequestError`` for a value that ``int64(_:)`` refuses, a negative one, and a time after the year
    ///   9999.
    func time(_ name: String, unitsPerSecond: Int64) throws -> Int64? {
        guard let time = try int64(name) else { return nil }
        guard 0 <= time, time / unitsPerSecond <= 253_402_300_799 else {
            throw RequestError.schema("\(place)/\(name) must be a time since 1970")
        }
        return time
    }

    /// A Boolean value, or `nil` if it is not given.
    ///
    /// - Throws: ``RequestError`` for a value of another type.
    func bool(_ name: String) throws -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw RequestError.schema("\(place)/\(name) must be boolean") }
        return bool
    }

    /// An integer, given as a JSON number, or `nil` if it is not given.
    ///
    /// - Throws: ``RequestError`` for any other value, or one outside the range.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64, range.contains(number) else {
            throw RequestError.schema(
                "\(place)/\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// A list of at most `limit` strings, empty if it is not given.
    ///
    /// - Throws: ``RequestError`` for a longer list or any other value.
    func strings(_ name: String, limit: Int = 100) throws -> [String] {
        guard let value = value(name) else { return [] }
        guard let array = value.array, array.count <= limit else {
            throw RequestError.schema("\(place)/\(name) must be array")
        }
        return try array.map { element in
            guard let string = element.string else {
                throw RequestError.schema("\(place)/\(name) must be array of string")
            }
            return string
        }
    }

    /// The name of an enumeration value, or `nil` if it is not given.
    ///
    /// The client sends a name, which is returned even if it is unknown, or a number, which is an index of `words`.
    ///
    /// - Throws: ``RequestError`` for a number without a name, and for a value of another type.
    func word(_ name: String, of words: [String]) throws -> String? {
        guard let value = value(name) else { return nil }
        if let string = value.string { return string }
        guard let number = value.int64, let index = Int(exactly: number), words.indices.contains(index) else {
            throw RequestError.schema("\(place)/\(name) must be string")
        }
        return words[index]
    }

    /// A list of at most 100 names of enumeration values, each as in ``word(_:of:)``; empty if it is not given.
    ///
    /// - Throws: ``RequestError`` for a longer list or any other value.
    func words(_ name: String, of words: [String]) throws -> [String] {
        guard let value = value(name) else { return [] }
        guard let array = value.array, array.count <= 100 else {
            throw RequestError.schema("\(place)/\(name) must be array")
        }
        return try array.map { element in
            if let string = element.string { return string }
            guard let number = element.int64, let index = Int(exactly: number), words.indices.contains(index) else {
                throw RequestError.schema("\(place)/\(name) must be array of string")
            }
            return words[index]
        }
    }

    private func value(_ name: String) -> JSONValue? {
        let found = object[name] ?? object.members.first { Self.isSnakeCase($0.name, of: name) }?.value
        guard let found, !found.isNull else { return nil }
        return found
    }

    /// Whether a key is a name in snake case, such as "local_id" for "localId".
    private static func isSnakeCase(_ key: String, of name: String) -> Bool {
        var rest = key.utf8.makeIterator()
        for byte in name.utf8 {
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
                guard rest.next() == UInt8(ascii: "_"), rest.next() == byte | 0x20 else { return false }
            } else {
                guard rest.next() == byte else { return false }
            }
        }
        return rest.next() == nil
    }
}

/// A request that cannot be understood or is not allowed: an error of the API layer, not of the account rules.
///
/// The associated texts are sent to the client.
enum RequestError: Error {
    /// The body is not JSON, or is JSON that no call accepts, such as a list or an object with a repeated key.
    case malformed(String)
    /// A value in the body or in the query has the wrong type, is too long or out of range, or has an unknown key, or
    /// the query is not well-formed.
    case schema(String)
    /// A header field has an invalid value.
    case invalidHeader(String)
    /// An `Authorization: Bearer` with a token that is not an administrator's.
    case badBearer
    /// Neither an API key nor a bearer token.
    ///
    /// The text, if any, follows Firebase's and says what to send.
    case missingAPIKey(advice: String? = nil)
    /// An API key that the operator has not allowed.
    case invalidAPIKey
    /// A request that this server or listener does not accept, such as one through a proxy in development mode, or one
    /// for another project.
    case forbidden(String)
    /// A path without a route, or an e-mail that is not in the development mailbox.
    case notFound
    /// An administrator asks about a user that does not exist.
    case noSuchUser
    /// A call of the contract, or a value in one, that Latchkey does not implement.
    case notImplemented(String)
}
