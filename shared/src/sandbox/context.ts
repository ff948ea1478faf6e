import type { Pool } from "../db/connect.ts";
import type { Logger } from "../server/logger.ts";
import type { Accounts } from "./accounts.ts";
import type { Courier } from "./callbacks/courier.ts";
import type { SandboxOptions } from "./config.ts";
import type { RateLimits } from "./limits.ts";
import type { People } from "./people.ts";
import type { WriteMessage } from "./send/message-writer.ts";
import type { UtilityCap } from "./send/utility-cap.ts";
import type { Templates } from "./templates/store.ts";

/** Passed to every handler. Accounts, templates and people are cached in memory and written through; messages and callbacks live in the database only. */
export interface SandboxContext {
  readonly sql: Pool;
  readonly log: Logger;
  readonly options: SandboxOptions;
  readonly accounts: Accounts;
  readonly templates: Templates;
  readonly people: People;
  readonly writeMessage: WriteMessage;
  readonly courier: Courier;
  readonly limits: RateLimits;
  readonly utilityCap: UtilityCap;
  /** Recipients with `refuse_every_other` whose last message was refused. */
  readonly refusedOnce: Set<string>;
  /** Aborted when the sandbox stops, which ends hanging answers. */
  readonly stopping: AbortSignal;
}
