#if HTTP
    // The operations of operators.
    extension OpenAPIDocument {
        static var waits: String {
            ##"""
            "/loops/{id}/waits":{"parameters":[\##(loop)],"get":{"operationId":"readWaits",
            "summary":"Read what a loop waits for, in sentences.",
            "description":"As mobius effects --why shows it. Needs the right read.",
            "responses":{"200":{"description":"The reasons.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Waits"}}}},
            \##(problems(404, 410))}}}
            """##
        }

        static var status: String {
            ##"""
            "/status":{"get":{"operationId":"readStatus","summary":"Read the state of the coordinator, its loops, pools and workers.",
            "description":"As mobius status --json shows it. Needs the right read.",
            "responses":{"200":{"description":"The state.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Status"}}}},
            \##(problems())}}}
            """##
        }

        static var session: String {
            let rights =
                ##""content":{"application/json":{"schema":{"$ref":"#/components/schemas/Rights"}}}"##
            return ##"""
                "/session":{"get":{"operationId":"readRights","summary":"Read the caller's name and rights.",
                "responses":{"200":{"description":"The rights; where loops of an export are shown, with its time as exported.",\##(rights)},\##(problems())}},
                "post":{"operationId":"login","summary":"Keep the token of this request in a cookie, for the pages of this server in a browser.",
                "description":"The cookie is HttpOnly and SameSite=Strict, and counts in requests of the server's own pages only.",
                "responses":{"200":{"description":"The rights.",
                "headers":{"Set-Cookie":{"schema":{"type":"string"},"description":"The cookie."}},\##(rights)},\##(problems())}},
                "delete":{"operationId":"logout","summary":"Forget the token.","security":[],
                "responses":{"204":{"description":"The cookie is deleted.",
                "headers":{"Set-Cookie":{"schema":{"type":"string"},"description":"Deletes the cookie."}}},\##(problems())}}}
                """##
        }

        private static var pageParameters: String {
            ##"""
            {"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":1000,"default":100}},
            {"name":"after","in":"query","schema":{"type":"string","minLength":1},"description":"The next of the page before."}
            """##
        }

        static var effects: String {
            ##"""
            "/effects":{"get":{"operationId":"listEffects","summary":"List pending effects, and why they wait.",
            "description":"As mobius effects --json shows them. Needs the right read.",
            "parameters":[
            {"name":"loop","in":"query","schema":{"type":"string","minLength":1},"description":"Only those of this loop."},
            {"name":"pool","in":"query","schema":{"type":"string"},"description":"Only those that go to this pool."},
            \##(pageParameters)],
            "responses":{"200":{"description":"A page.",\##(linkHeader),
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Effects"}}}},
            \##(problems(404))}}}
            """##
        }

        static var letters: String {
            ##"""
            "/letters":{"get":{"operationId":"listLetters","summary":"List dead letters: effects that failed for good and are kept.",
            "description":"As mobius dead list --json shows them. Name a loop or a prefix, not both. Needs the right read.",
            "parameters":[
            {"name":"loop","in":"query","schema":{"type":"string","minLength":1},"description":"Only those of this loop."},
            {"name":"prefix","in":"query","schema":{"type":"string"},"description":"Only those of loops whose names begin so."},
            \##(pageParameters)],
            "responses":{"200":{"description":"A page.",\##(linkHeader),
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Letters"}}}},
            \##(problems(404))}}}
            """##
        }
    }
#endif
