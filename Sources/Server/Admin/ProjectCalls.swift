internal import Accounts
internal import HTTPServer

extension Services {
    /// Adds Latchkey's own calls with which administrators find a user, read and change the clean-up of guests,
    /// and report e-mails that were not delivered.
    ///
    /// Web pages of other origins cannot use these calls.
    func addProjectCalls(to router: inout Router) {
        router.add(.get, "/v1/projects/{project}/users/{uid}", guarded(handler(FindUser(services: self))))
        router.add(.get, "/v1/projects/{project}/cleanup", guarded(authorized(readCleanup)))
        router.add(.post, "/v1/projects/{project}/mail:events", guarded(handler(RecordMailEvents(services: self))))
        router.add(.patch, "/v1/projects/{project}/cleanup", guarded(handler(ChangeCleanup(services: self))))
    }

    /// Adds Identity Toolkit's administrator calls on users, e-mail links and session cookies, as Admin SDKs send them
    /// (contract, 3.16).
    ///
    /// ``addImport(to:)`` and ``addProjectConfig(to:)`` add the others.
    func addAdministratorsCalls(to router: inout Router) {
        let calls: [(String, Handler)] = [
            ("/accounts", handler(CreateUser(services: self))),
            ("/accounts:lookup", handler(FindUsers(services: self))),
            ("/accounts:update", handler(ChangeUser(services: self))),
            ("/accounts:delete", handler(DeleteUser(services: self))),
            ("/accounts:batchDelete", authorized(deleteUsers)),
            ("/accounts:sendOobCode", handler(MakeOobCode(services: self))),
            ("/accounts:query", authorized(queryUsers)),
            (":queryAccounts", authorized(queryUsers)),
            (":createSessionCookie", handler(CreateSessionCookie(services: self))),
        ]
        for prefix in Self.identityToolkitPrefixes {
            let project = "\(prefix)/v1/projects/{project}"
            for (call, handler) in calls { router.add(.post, project + call, cors: true, guarded(handler)) }
            router.add(.get, "\(project)/accounts:batchGet", cors: true, guarded(authorized(listUsers)))
        }
    }
}
