import type { Pool } from "shared/db/connect";
import type { PlatformClient } from "shared/platform/client";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
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

/** The time, so that tests can set it. */
export interface Clock {
  /** The wall clock. */
  now(): Date;
  /** Milliseconds that never go back, the same as `performance.now()`. For deadlines. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
