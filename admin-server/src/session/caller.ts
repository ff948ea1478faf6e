import type { Role } from "shared/core/role";

/** Who calls. Their role may be less than the user's own when they came with an access token. */
export interface Caller {
  userId: string;
  accountId: string;
  role: Role;
  email: string;
  name: string;
  via: { kind: "session"; token: string } | { kind: "access-token"; id: string; expiresAt: Date | null };
}
