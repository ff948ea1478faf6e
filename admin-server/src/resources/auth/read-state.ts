import { anyUserExists } from "shared/db/tables/user/find";
import type { RequestContext } from "../../context.ts";

export interface AuthState {
  /** `first`: nobody has an account yet. */
  signUp: "first" | "open" | "closed";
  setupCodeNeeded: boolean;
}

/** What somebody who is not signed in may do. */
export async function readState({ sql, config, isLocal }: RequestContext): Promise<AuthState> {
  const isFirst = !(await anyUserExists(sql));
  if (!isFirst) return { signUp: config.allowSignUp ? "open" : "closed", setupCodeNeeded: false };
  return { signUp: "first", setupCodeNeeded: !config.allowSignUp && !isLocal };
}
