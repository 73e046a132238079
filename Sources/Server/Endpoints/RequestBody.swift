internal import Accounts
internal import HTTPServer
internal import JSON

/// The JSON body of an Identity Toolkit call (contract, 1.3).
///
/// Keys are taken in camel case and in snake case; unknown ones are ignored; `null` means not given.
///
/// An object inside it is one as well.
struct RequestBody {
    /// As it was given, with the spelling of its keys.
    let object: JSONObject
    /// Where the object stands in the whole body, for messages: empty for the body itself, else such as `/users/3`.
    private let place: String

    /// Parses the body; an empty one counts as `{}`.
    ///
    /// - Throws: ``RequestError`` for what is no JSON object, holds a key twice, nests too deep or holds U+0000.
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
        guard !value.containsNUL else { throw RequestError.malformed("U+0000 is not allowed in a string.") }
        self.object = object
    }

    /// An object that was parsed already.
    ///
    /// - Parameters:
    ///   - object: what it holds, without U+0000.
    ///   - place: where it stands, for messages.
    init(_ object: JSONObject, at place: String) {
        self.object = object
        self.place = place
    }

    /// Whether a key is given with any value but `null`.
    func has(_ name: String) -> Bool {
        value(name) != nil
    }

    /// Refuses keys that nobody reads, where a misspelt one would do harm.
    ///
    /// - Throws: ``RequestError`` with the first of them.
    func refuseUnknown(besides known: Set<String>) throws {
        if let unknown = object.members.lazy.map(\.name).first(where: { !known.contains($0) }) {
            throw RequestError.schema(
                "\(place)/\(unknown) is not known; this takes \(known.sorted().joined(separator: ", "))"
            )
        }
    }

    /// Whether a key is there at all, be it with `null`.
    func mentions(_ name: String) -> Bool {
        object[name] != nil
    }

    /// A string, or `nil` where it is not given.
    ///
    /// - Throws: ``RequestError`` where it is of another type or longer than `limit` bytes.
    func string(_ name: String, limit: Int = 8192) throws -> String? {
        guard let value = value(name) else { return nil }
        guard let string = value.string else { throw RequestError.schema("\(place)/\(name) must be string") }
        guard string.utf8.count <= limit else {
            throw RequestError.schema("\(place)/\(name) must NOT have more than \(limit) bytes")
        }
        return string
    }

    /// A string that has something in it.
    func nonEmptyString(_ name: String, limit: Int = 8192) throws -> String? {
        try string(name, limit: limit).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An object inside, or `nil` where it is not given.
    func object(_ name: String) throws -> RequestBody? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw RequestError.schema("\(place)/\(name) must be object") }
        return RequestBody(object, at: "\(place)/\(name)")
    }

    /// A list of objects; `nil` where it is not given.
    ///
    /// How many there may be is for the caller to say.
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

    /// A whole number that JSON may carry as a string, as Identity Toolkit writes 64 bits (contract, 1.3).
    func int64(_ name: String) throws -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64 ?? value.string.flatMap({ Int64($0) }) else {
            throw RequestError.schema("\(place)/\(name) must be string with format int64")
        }
        return number
    }

    /// A time, in units since 1970, up to the end of the year 9999.
    func time(_ name: String, unitsPerSecond: Int64) throws -> Int64? {
        guard let time = try int64(name) else { return nil }
        guard 0 <= time, time / unitsPerSecond <= 253_402_300_799 else {
            throw RequestError.schema("\(place)/\(name) must be a time since 1970")
        }
        return time
    }

    func bool(_ name: String) throws -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw RequestError.schema("\(place)/\(name) must be boolean") }
        return bool
    }

    /// A whole number, or `nil` where it is not given.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64, range.contains(number) else {
            throw RequestError.schema(
                "\(place)/\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// A list of at most `limit` strings, empty where it is not given.
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

    /// The word of an enumeration: its name, or its number in the protocol's order.
    func word(_ name: String, of words: [String]) throws -> String? {
        guard let value = value(name) else { return nil }
        if let string = value.string { return string }
        guard let number = value.int64, let index = Int(exactly: number), words.indices.contains(index) else {
            throw RequestError.schema("\(place)/\(name) must be string")
        }
        return words[index]
    }

    /// The words of a list of enumeration values.
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
        guard let value = object[name] ?? object[Self.snakeCase(name)], !value.isNull else { return nil }
        return value
    }

    private static func snakeCase(_ name: String) -> String {
        guard name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
                bytes.append(UInt8(ascii: "_"))
                bytes.append(byte | 0x20)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A request that cannot be understood or is not allowed in: not the rules of accounts, but of the API around them.
enum RequestError: Error {
    /// The body is no JSON, or JSON that no call takes.
    case malformed(String)
    /// The body is JSON, but a value has the wrong type.
    case schema(String)
    /// A header field that says nothing we understand.
    case invalidHeader(String)
    /// An `Authorization: Bearer` that is none of ours.
    case badBearer
    /// Neither an API key nor a Bearer.
    case missingAPIKey
    /// An API key that the operator has not allowed.
    case invalidAPIKey
    /// A request that development mode does not trust.
    case forbidden(String)
    /// A path that nothing answers.
    case notFound
    /// An administrator asks about a user that never was.
    case noSuchUser
    /// Known to the contract, but not built.
    case notImplemented(String)
}
