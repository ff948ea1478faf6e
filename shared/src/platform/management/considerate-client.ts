import { setTimeout } from "node:timers/promises";
import { PlatformError } from "../platform-error.ts";
import type { ManagementClient } from "./management-client.ts";
import { pauseFor } from "./usage.ts";

/** The platform's calls for this hour are nearly used up: what people do by hand goes first. */
export class CallsUsedUp extends PlatformError {
  override name = "CallsUsedUp";
  /** Until the platform grants more; null when it does not say. */
  readonly regainMs: number | null;

  constructor(percent: number, regainMs: number | null) {
    super(`${percent} % of the calls that the platform grants for an hour are used up; it goes on when there are more.`);
    this.regainMs = regainMs;
  }
}

export interface Consideration {
  /** An instant of `performance.now()`: what is under way is cut off then. */
  cutAt: number;
  /** Cuts off at once. */
  signal: AbortSignal;
}

/** The client for work that nobody waits for: calls throw `CallsUsedUp` instead of using up the last that the platform grants for the hour, and slow down before. */
export function considerateClient(management: ManagementClient, wabaId: string, { cutAt, signal }: Consideration): ManagementClient {
  return {
    ...management,
    async call(call) {
      const usage = management.usage(wabaId);
      const pause = pauseFor(usage);
      if (usage !== null && pause === Infinity) throw new CallsUsedUp(usage.percent, usage.regainMs || null);
      // Ended early when it is cut off, which the call then tells.
      if (pause > 0) await setTimeout(pause, undefined, { signal }).catch(() => undefined);
      return management.call({ ...call, cutAt: Math.min(cutAt, call.cutAt ?? Infinity), signal });
    },
    upload: (call) => management.upload({ ...call, signal }),
  };
}
