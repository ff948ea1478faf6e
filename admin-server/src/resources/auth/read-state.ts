import { anyUserExists } from "shared/db/user";
import type { RequestContext } from "../../context.ts";

export interface AuthState {
  /** `first`: nobody has an account yet. */
  signUp: "first" | "open" | "closed";
  setupCodeNeeded: boolean;
  /** Whether the caller is somebody: with a session or a token that counts. */
  signedIn: boolean;
}

/** Whether somebody is signed in, and what somebody who is not may do. Refuses nobody. */
export async function readState({ sql, config, isLocal, caller }: RequestContext): Promise<AuthState> {
  const signedIn = caller !== null;
  const isFirst = !signedIn && !(await anyUserExists(sql));
  if (!isFirst) return { signUp: config.allowSignUp ? "open" : "closed", setupCodeNeeded: false, signedIn };
  return { signUp: "first", setupCodeNeeded: !config.allowSignUp && !isLocal, signedIn };
}
