import type { Role } from "shared/core/role";

/** With an access token, `role` may be lower than the user's own. */
export interface Caller {
  userId: string;
  accountId: string;
  role: Role;
  email: string;
  name: string;
  via: { kind: "session"; token: string } | { kind: "access-token"; id: string; expiresAt: Date | null };
}
