import type { Pool } from "shared/db/connect";
import type { PlatformClient } from "shared/platform/client";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
import type { Clock } from "./clock.ts";
import type { GatewayConfig } from "./config.ts";

/** What the gateway's parts work with. Made once by `startGateway` and handed down. */
export interface GatewayContext {
  config: GatewayConfig;
  sql: Pool;
  /** For claiming and settling alone, whose statements want plans of their own and must not queue behind others. */
  events: Pool;
  vault: Vault;
  platform: PlatformClient;
  log: Logger;
  clock: Clock;
  /** A UUID of this start of this process: the owner of the events that it works on. */
  instanceId: string;
  /** Called before each step of an event's way; tests stop the process there. */
  onStep?: ((step: "claim" | "dispatch" | "settle", eventId: string) => Promise<void> | void) | undefined;
}
