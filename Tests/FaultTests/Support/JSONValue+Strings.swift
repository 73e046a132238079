import JSON

extension JSONValue {
    /// An object of strings.
    init(strings: [(String, String)]) {
        var object = JSONObject()
        for (name, value) in strings { object.append(name, .string(value)) }
        self = .object(object)
    }
}
