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

/** What lives as long as the server. */
export interface AdminContext {
  config: AdminConfig;
  sql: Pool;
  vault: Vault;
  platform: PlatformClient;
  /** The platform again, for templates and files. */
  management: ManagementClient;
  /** The stand-in's own calls; null when the platform is the real one. */
  sandbox: SandboxClient | null;
  sessions: Sessions;
  learner: Learner;
  tail: EventTail;
  log: Logger;
  clock: () => Date;
  /** Aborts when the server stops: work that outlives its request ends with it. */
  stopping: AbortSignal;
}

/** What a procedure sees: the server's context and the request's own. */
export interface RequestContext extends AdminContext {
  caller: Caller | null;
  /** The client's address, through the proxy when `TRUST_PROXY` is set. */
  address: string;
  /** What the client calls itself, shortened; empty when it says nothing. */
  userAgent: string;
  /** Whether the request was made from the machine itself. */
  isLocal: boolean;
  /** Adds a Set-Cookie header to the answer. */
  setCookie: (cookie: string) => void;
}

/** What a procedure that lets somebody in sees. */
export interface CallContext extends RequestContext {
  /** Names the person in whose name the audit entry is written, for there is no caller yet. */
  actAs: (actor: Actor) => void;
}
