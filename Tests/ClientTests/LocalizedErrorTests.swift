import Foundation
import LatchkeyClient
import Testing

@Suite("Errors for people") struct LocalizedErrorTests {
    @Test func `an error tells people what happened and what to do`() {
        let error: any Error = AuthError(.expiredActionCode, serverCode: "EXPIRED_OOB_CODE", detail: "for developers")
        #expect(error.localizedDescription == "The link or code has expired.")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "Request a new e-mail.")
    }

    @Test func `the server's pause is the suggestion`() {
        func suggestion(_ seconds: Int) -> String? {
            AuthError(.tooManyRequests, retryAfter: .seconds(seconds)).recoverySuggestion
        }
        #expect(AuthError(.tooManyRequests).recoverySuggestion == "Try again in a moment.")
        #expect(suggestion(0) == "Try again in 1 s.")
        #expect(suggestion(59) == "Try again in 59 s.")
        #expect(suggestion(61) == "Try again in 2 min.")
    }

    @Test func `an unknown code has a sentence too, and no text has an identifier`() {
        let unknown = AuthError.Code(rawValue: "ofANewerServer")
        let codes: [AuthError.Code] = [
            unknown, .emailAlreadyInUse, .invalidSignInCode, .codePaused, .userTokenExpired, .mergeRefused,
            .documentTooLarge, .networkRequestFailed, .storageFailed, .cancelled, .internalError,
        ]
        for code in codes {
            let error = AuthError(code, serverCode: "X_Y", detail: "secret")
            let text = (error.errorDescription ?? "") + (error.recoverySuggestion ?? "")
            #expect(error.errorDescription?.hasSuffix(".") == true, "\(code)")
            #expect(!text.contains("secret") && !text.contains("X_Y"), "\(code)")
            // "cancelled" is a word too.
            if code != .cancelled { #expect(!text.contains(code.rawValue), "\(code)") }
        }
    }

    @Test(
        arguments: [
            ("Europe/Rome", "Europe/Rome"), (":Europe/Rome", "Europe/Rome"), ("UTC", "UTC"), ("Etc/GMT+5", "Etc/GMT+5"),
            ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"), ("CET-1CEST,M3.5.0,M10.5.0/3", nil), ("<+03>-3", nil),
            ("../etc", nil),
        ] as [(String, String?)]
    )
    func `the device's time zone comes from TZ`(_ variable: String, _ name: String?) {
        #expect(Auth.Configuration.timeZone(variable: variable) == name)
    }

    @Test func `without TZ the time zone comes from the link of the system`() throws {
        let folder = try TemporaryFolder()
        let link = "\(folder.path)/localtime"
        #expect(Auth.Configuration.timeZone(variable: nil, link: link) == nil)
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "../usr/share/zoneinfo/America/Argentina/Buenos_Aires"
        )
        for variable in [nil, ""] {
            #expect(Auth.Configuration.timeZone(variable: variable, link: link) == "America/Argentina/Buenos_Aires")
        }
    }
}
