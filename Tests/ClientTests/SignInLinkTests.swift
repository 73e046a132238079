import LatchkeyClient
import Testing

@Suite("Sign-in link") struct SignInLinkTests {
    static let code = Wire.action
    static let encoded = "https%3A%2F%2Fa.example%2F%3Fmode%3DsignIn%26oobCode%3D\(Wire.action)"

    @Test(
        arguments: [
            code,
            "  \(code)\n",
            Wire.link,
            "<\(Wire.link)>",
            "'\(Wire.link)'\n",
            Wire.link + "#fragment?oobCode=other",
            "https://x.example/?mode=signIn&amp;oobCode=\(code)&amp;lang=en",
            "https://x.example/?link=\(encoded)",
            "https://x.example/?deep_link_id=\(encoded)",
            "myapp://google/link/?deep_link_id=https%3A%2F%2Fx.example%2F%3Flink%3D"
                + "https%253A%252F%252Fa.example%252F%253Fmode%253DsignIn%2526oobCode%253D\(code)",
            "https://x.example/anything?mode=signIn&oobCode=\(code)&oobCode=second",
        ]
    )
    func `the action code is found`(text: String) {
        let link = SignInLink(text)
        #expect(link?.oobCode == Self.code)
        #expect(link?.isForSignIn == true)
    }

    @Test(
        arguments: [
            "", " ", "123456", "https://example.com/", "https://example.com/?mode=signIn",
            "https://example.com/?oobCode=\(code)", "https://example.com/?mode=signIn&oobCode=",
            "https://example.com/?mode=signIn&oobCode=short", "https://example.com/?mode=signIn&oobCode=%ZZ\(code)",
            "https://example.com/?mode=signIn&oobCode=a%20b\(code)",
            "https://example.com/#?mode=signIn&oobCode=\(code)",
            String(repeating: "a", count: 300), "https://x.example/?link=https%3A%2F%2Fx.example%2F",
        ]
    )
    func `a text without an action code is none`(text: String) {
        #expect(SignInLink(text) == nil)
    }

    @Test func `a link is only followed a few levels deep`() {
        var link = Wire.link
        for _ in 0..<6 {
            let nested = link.utf8.map {
                $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "=")
                    ? "%" + String($0, radix: 16) : String(UnicodeScalar($0))
            }.joined()
            link = "https://x.example/?link=" + nested
        }
        #expect(SignInLink(link) == nil)
    }

    @Test func `mode and destination are read`() throws {
        let link = try #require(
            SignInLink(
                "https://x.example/?mode=verifyEmail&oobCode=\(Self.code)&continueUrl=https%3A%2F%2Fapp.example%2F"
            )
        )
        #expect(link.mode == "verifyEmail")
        #expect(!link.isForSignIn)
        #expect(link.continueURL == "https://app.example/")
    }

    @Test(
        arguments: [
            ("https://x.example/?mode=signIn&oobCode=\(code)&latchkeyRequestId=r1", "r1"),
            ("https://x.example/?a=b&amp;latchkeyRequestId=r1&amp;mode=signIn&amp;oobCode=\(code)", "r1"),
            ("https://x.example/?link=\(encoded)%26latchkeyRequestId%3Dr1", "r1"),
            ("https://x.example/?latchkeyRequestId=outside&link=\(encoded)", nil), (Wire.link, nil), (code, nil),
        ] as [(String, String?)]
    )
    func `the request's public id is read where the code is`(text: String, id: String?) throws {
        let link = try #require(SignInLink(text))
        #expect(link.requestID == id)
        #expect(link.oobCode == Self.code)
    }

    @Test func `only a link for signing in counts as one`() {
        #expect(Auth.isSignInLink(Wire.link))
        #expect(!Auth.isSignInLink("https://x.example/?mode=verifyEmail&oobCode=\(Self.code)"))
        #expect(!Auth.isSignInLink(Self.code))
    }
}
