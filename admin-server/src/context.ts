import type { Sql } from "shared/db/statement";
import type { GuardedPost } from "shared/guarded-request";
import type { Metrics } from "shared/metrics/metrics";
import type { PlatformClient } from "shared/platform/client";
import type { ManagementClient } from "shared/platform/management-client";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
import type { Pulse } from "shared/server/retry";
import type { EventTail } from "./api/event-tail.ts";
import type { AdminConfig } from "./config.ts";
import type { Learner } from "./learning/learner.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { SandboxClient } from "./sandbox/client.ts";
import type { Caller } from "./session/caller.ts";
import type { Sessions } from "./session/sessions.ts";
import type { Actor, Told } from "./trpc/audit-trail.ts";
import type { Replica } from "./trpc/replica.ts";
import type { Turns } from "./trpc/turns.ts";

/** The parts of the server that live as long as it does. */
export interface AdminContext {
  config: AdminConfig;
  /** A pool; in a mutation that changes the database alone, the transaction that its audit entry is committed with. */
  sql: Sql;
  /** Undefined: everything is read of the primary. */
  replica?: Replica | undefined;
  vault: Vault;
  platform: PlatformClient;
  /** The client for templates and files. */
  management: ManagementClient;
  /** Null when the platform is the real one. */
  sandbox: SandboxClient | null;
  /** The sandbox of test sites, whatever the platform is; undefined: it is not configured. */
  testSandbox?: SandboxClient | undefined;
  sessions: Sessions;
  /** Null where the server sends no e-mail. */
  mailer: Mailer | null;
  /** Posts to addresses that users entered. */
  poster: GuardedPost;
  learner: Learner;
  tail: EventTail;
  log: Logger;
  /** Undefined: nothing is counted. */
  metrics?: Metrics | undefined;
  /** Stirred by every request of a person or a program; undefined: the jobs never rest. */
  pulse?: Pulse | undefined;
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
  /** The cookie of a device that has signed in before; null without one. */
  deviceCookie: string | null;
  /** The turns of the request's calls. */
  turns: Turns;
  /** The call is part of another one, which has the account's turn. */
  isInTurn: boolean;
  /** Notes that the answer may lack what happened in the last seconds; 0: it lacks nothing. */
  noteLag?: ((seconds: number) => void) | undefined;
  /** Adds Set-Cookie headers to the answer. */
  setCookie: (cookie: string | string[]) => void;
}

/** The context of a call of somebody who is signed in. */
export type CallerContext = RequestContext & { caller: Caller };

/** The context of mutations that keep transactions of their own, since they hash passwords, sign somebody in or call out. */
export interface CallContext extends RequestContext {
  /** Writes the audit entry in the caller's name, in the transaction `sql` of the change. Without it, it is written once the call has succeeded. */
  record: (sql: Sql, told?: Told) => Promise<void>;
  /** Writes the entry in the name of the person who is let in, since there is no caller yet. Does nothing in a call that has written its entry, unless `sql` is given. */
  actAs: (actor: Actor, told?: Told, sql?: Sql) => Promise<void>;
  /** Lets a mutation leave no entry if it changes nothing yet. */
  recordNothing: () => void;
  /** Whether the call has written its entries, or needs none. */
  isRecorded: () => boolean;
}
