import type { TokenScope } from "shared/core/credentials";
import type { Role } from "shared/core/role";
import type { SessionWay } from "shared/db/session";

/** With an access token, `role` may be lower than the user's own. */
export interface Caller {
  userId: string;
  accountId: string;
  role: Role;
  email: string;
  name: string;
  /** The client's address, and whether the account lets anybody in from there. */
  from: { address: string; isAllowed: boolean };
  /** The account leaves for another installation, or arrives from one. */
  isMoving: boolean;
  via:
    | {
        kind: "session";
        token: string;
        /** True if the person has proven themselves in the last 10 minutes. */
        isProven: boolean;
        /** The account demands a second factor and the user has none: nothing else is open to them. */
        mustEnroll: boolean;
        way: SessionWay;
      }
    | { kind: "access-token"; id: string; scopes: TokenScope[] | null };
}
