/// The members of a JSON object, in the order in which they were written.
///
/// Names are compared byte by byte. Looking up a name walks the members, because objects of requests are small.
public struct JSONObject: Sendable {
    /// The name and value of every member, in order.
    public private(set) var members: [(name: String, value: JSONValue)]

    /// Makes an object without members.
    public init() {
        members = []
    }

    /// Makes an object from members whose names the parser found to be unique.
    init(uniqueMembers members: [(name: String, value: JSONValue)]) {
        self.members = members
    }

    /// The value of a member.
    ///
    /// `nil` if no member has the name. Setting a value replaces the member's value in its place or appends a member;
    /// setting `nil` removes the member.
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

    /// Appends a member.
    ///
    /// - Warning: Does not check whether the name exists already; the parser refuses a text with two members of one
    ///   name. Use the subscript for names that are not constants.
    public mutating func append(_ name: String, _ value: JSONValue) {
        members.append((name, value))
    }

    /// The number of members.
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
