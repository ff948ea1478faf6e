import type { Pool } from "../db/connect.ts";
import type { Logger } from "../server/logger.ts";
import type { Accounts } from "./accounts.ts";
import type { Courier } from "./callbacks/courier.ts";
import type { SandboxOptions } from "./config.ts";
import type { RateLimits } from "./limits.ts";
import type { MessageWriter } from "./send/message-writer.ts";
import type { Templates } from "./templates/store.ts";

/** What every handler works with. Accounts and templates are held in memory and written through; messages and callbacks are in the database alone. */
export interface SandboxContext {
  readonly sql: Pool;
  readonly log: Logger;
  readonly options: SandboxOptions;
  readonly accounts: Accounts;
  readonly templates: Templates;
  readonly messages: MessageWriter;
  readonly courier: Courier;
  readonly limits: RateLimits;
  /** Recipients whose last message was refused because theirs are refused every other time. */
  readonly refusedOnce: Set<string>;
  /** Aborted when the sandbox stops: an answer that hangs then ends. */
  readonly stopping: AbortSignal;
}
