import JSON

extension JSONValue {
    /// Makes an object of strings.
    init(strings: [(String, String)]) {
        var object = JSONObject()
        for (name, value) in strings { object.append(name, .string(value)) }
        self = .object(object)
    }
}
