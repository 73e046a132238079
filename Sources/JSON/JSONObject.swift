/// The members of a JSON object, in the order in which they were written.
///
/// Names are compared byte by byte. Looking a name up walks the members: objects of requests are small.
public struct JSONObject: Sendable {
    /// Name and value of every member, in order.
    public private(set) var members: [(name: String, value: JSONValue)]

    /// An object without members.
    public init() {
        members = []
    }

    /// Takes members whose names the parser found to be unique.
    init(uniqueMembers members: [(name: String, value: JSONValue)]) {
        self.members = members
    }

    /// The value of a member.
    ///
    /// Setting replaces it in its place or appends it; setting `nil` removes it.
    public subscript(_ name: String) -> JSONValue? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a member at the end.
    ///
    /// - Warning: Does not look whether the name is there already; two members of one name make a text that the parser
    ///   refuses. Where the names are not one's own, use the subscript.
    public mutating func append(_ name: String, _ value: JSONValue) {
        members.append((name, value))
    }

    /// How many members there are.
    public var count: Int {
        members.count
    }

    /// Whether there are no members.
    public var isEmpty: Bool {
        members.isEmpty
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.hasSameBytes(as: name) }
    }
}

extension JSONObject: Equatable {
    /// Whether both have the same members in the same order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count
            && zip(left.members, right.members).allSatisfy {
                $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
            }
    }
}
