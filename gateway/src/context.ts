import type { Pool } from "shared/db/connect";
import type { PlatformClient } from "shared/platform/client";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
import type { GatewayConfig } from "./config.ts";

/** Settings, connections and clocks of the gateway. Made once by `startGateway` and handed down. */
export interface GatewayContext {
  config: GatewayConfig;
  sql: Pool;
  /** Only for claiming and settling: see `connectForEvents`. */
  events: Pool;
  vault: Vault;
  platform: PlatformClient;
  log: Logger;
  clock: Clock;
  /** A UUID of this start of this process: it owns the events under way here. */
  instanceId: string;
  /** Called before each step of an event; tests stop the process there. */
  onStep?: ((step: "claim" | "dispatch" | "settle", eventId: string) => Promise<void> | void) | undefined;
}

/** Tests set the time through it. */
export interface Clock {
  /** The wall clock. */
  now(): Date;
  /** Milliseconds of `performance.now()`, which never go back. For deadlines. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
