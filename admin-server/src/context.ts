import type { Pool } from "shared/db/connect";
import type { PlatformClient } from "shared/platform/client";
import type { ManagementClient } from "shared/platform/management-client";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
import type { EventTail } from "./api/event-tail.ts";
import type { AdminConfig } from "./config.ts";
import type { Learner } from "./learning/learner.ts";
import type { SandboxClient } from "./sandbox/client.ts";
import type { Caller } from "./session/caller.ts";
import type { Sessions } from "./session/sessions.ts";
import type { Actor } from "./trpc/audit-trail.ts";

/** Lives as long as the server. */
export interface AdminContext {
  config: AdminConfig;
  sql: Pool;
  vault: Vault;
  platform: PlatformClient;
  /** For templates and files. */
  management: ManagementClient;
  /** Null when the platform is the real one. */
  sandbox: SandboxClient | null;
  sessions: Sessions;
  learner: Learner;
  tail: EventTail;
  log: Logger;
  clock: () => Date;
  /** Aborts when the server stops; ends work that outlives its request. */
  stopping: AbortSignal;
}

/** The server's context and the request's own. */
export interface RequestContext extends AdminContext {
  caller: Caller | null;
  /** The client's address, through the proxy when `TRUST_PROXY` is set. */
  address: string;
  /** The User-Agent header, shortened; empty when there is none. */
  userAgent: string;
  /** The request comes from this machine. */
  isLocal: boolean;
  /** What marks the device as one that has signed in before; null when there is none. */
  deviceCookie: string | null;
  /** Adds Set-Cookie headers to the answer. */
  setCookie: (cookie: string | string[]) => void;
}

/** For procedures that sign somebody in. */
export interface CallContext extends RequestContext {
  /** Sets the actor of the audit entry, since there is no caller yet; `nobody` for what changes nothing. */
  actAs: (actor: Actor | "nobody") => void;
}
