internal import Accounts
internal import HTTPServer

extension Services {
    /// Our own calls of administrators; web pages have no part in them.
    func addProjectCalls(to router: inout Router) {
        router.add(.get, "/v1/projects/{project}/users/{uid}", guarded(handler(FindUser(services: self))))
        router.add(.get, "/v1/projects/{project}/cleanup", guarded(readCleanup))
        router.add(.patch, "/v1/projects/{project}/cleanup", guarded(handler(ChangeCleanup(services: self))))
    }

    /// Identity Toolkit's calls of administrators, as Admin SDKs make them (contract, 3.16).
    func addAdministratorsCalls(to router: inout Router) {
        let calls: [(String, Handler)] = [
            ("/accounts", handler(CreateUser(services: self))),
            ("/accounts:lookup", handler(FindUsers(services: self))),
            ("/accounts:update", handler(ChangeUser(services: self))),
            ("/accounts:delete", handler(DeleteUser(services: self))),
            ("/accounts:batchDelete", deleteUsers),
            ("/accounts:sendOobCode", handler(MakeOobCode(services: self))),
            ("/accounts:query", queryUsers),
            (":queryAccounts", queryUsers),
            (":createSessionCookie", handler(CreateSessionCookie(services: self))),
        ]
        for prefix in Self.identityToolkitPrefixes {
            let project = "\(prefix)/v1/projects/{project}"
            for (call, handler) in calls { router.add(.post, project + call, cors: true, guarded(handler)) }
            router.add(.get, "\(project)/accounts:batchGet", cors: true, guarded(listUsers))
        }
    }
}
