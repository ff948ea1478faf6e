import { type Pool, withTimeout } from "shared/db/statement";
import type { GatewayMetrics } from "shared/metrics/metrics";
import type { PlatformClient } from "shared/platform/client";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
import type { Pulse } from "shared/server/retry";
import type { GatewayConfig } from "./config.ts";
import type { Tracing } from "./tracing.ts";

/** Settings, connections and clocks of the gateway. Made once by `startGateway` and handed down. */
export interface GatewayContext {
  config: GatewayConfig;
  sql: Pool;
  /** Only for claiming and settling: see `connectForEvents`. */
  events: Pool;
  vault: Vault;
  platform: PlatformClient;
  /** The sandbox, to which test sites send; undefined: they send nothing. */
  sandbox?: PlatformClient | undefined;
  log: Logger;
  clock: Clock;
  /** A UUID of this start of this process: it owns the events under way here. */
  instanceId: string;
  /** Undefined: nothing is counted. */
  metrics?: GatewayMetrics | undefined;
  /** Undefined: nothing is traced. */
  tracing?: Tracing | undefined;
  /** Stirred by every request that changes something; undefined: the loops never rest. */
  pulse?: Pulse | undefined;
  /** Called before each step; tests stop the process there. */
  onStep?: ((name: Step, subject: string) => Promise<void> | void) | undefined;
}

export const systemClock = {
  /** The wall clock. */
  now: (): Date => new Date(),
  /** Milliseconds of `performance.now()`, which never go back. For deadlines. */
  monotonic: (): number => performance.now(),
};

/** Tests set the time through it. */
export type Clock = typeof systemClock;

/** The five steps of an event, a callback of the platform, and a request to an endpoint. */
export type Step = "authenticate" | "plan" | "claim" | "dispatch" | "settle" | "callback" | "delivery";

/** The one place where every step begins and ends. `subject`: the id of the event, account or delivery; empty while an event has none. */
export const step = <T>({ onStep }: Pick<GatewayContext, "onStep">, name: Step, subject: string, run: () => T): T | Promise<Awaited<T>> =>
  onStep === undefined ? run() : (Promise.resolve(onStep(name, subject)).then(run) as Promise<Awaited<T>>);

/** Waits for a statement for as long as one may take. */
export const inTime = <T>({ config }: Pick<GatewayContext, "config">, statement: Promise<T>): Promise<T> =>
  withTimeout(statement, config.timeLimits.statementMs);
