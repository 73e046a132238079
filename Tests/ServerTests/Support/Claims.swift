import JSON
import Testing
import Tokens

/// The unchecked content of a JWT.
struct Claims {
    let header: JSONValue
    let payload: JSONValue

    init(_ token: String) throws {
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        header = try JSONValue.parse(#require(Base64URL.decode(parts[0])))
        payload = try JSONValue.parse(#require(Base64URL.decode(parts[1])))
    }

    subscript(_ name: String) -> JSONValue? { payload[name] }
}
