import { expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { startRequested } from "./requested.ts";

it.each([200, 202])("an event that is taken with %i is done, and is looked for once", async (status) => {
  const requests = [{ id: "request", site_id: "site", kind: "replay" }];
  const asked: string[] = [];
  const tag = (parts: readonly string[] | string): Promise<object[]> | string => {
    if (typeof parts === "string") return parts;
    const text = parts.join("?");
    // Others are parts of statements.
    if (!/^\s*(select from event|update)/.test(text)) return text;
    asked.push(/select from event/.test(text) ? "stored?" : /for update skip locked/.test(text) ? "claim" : "end");
    return Promise.resolve(asked.at(-1) === "claim" ? requests.splice(0) : []);
  };
  const context = {
    sql: Object.assign(tag, { unsafe: (text: string) => text }),
    clock: { monotonic: () => 0 },
    log: { warn: vi.fn<() => void>() },
    config: { timeLimits: { ...defaultTimeLimits, requestedTickMs: 1 } },
  } as unknown as GatewayContext;
  const take = vi.fn<() => Promise<{ status: number; body: string; eventId: string }>>(async () => ({
    status,
    body: "",
    eventId: "event",
  }));
  const stop = startRequested(context, { sites: { refresh: async () => Promise.resolve(null) }, take });
  await vi.waitUntil(() => asked.includes("end"));
  await stop();
  expect(take).toHaveBeenCalledTimes(1);
  expect(asked.filter((what) => what !== "claim")).toEqual(["stored?", "end"]);
});
