import { optOutKey } from "shared/core/message";
import { beforeEach, expect, it, vi } from "vitest";
import type { SiteConfig } from "../sites/site-config.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { recordRefusals, unwillingResults } from "./unwilling.ts";

const site = { id: "site", accountId: "account", marketing: new Set<string>() } as unknown as SiteConfig;
const message = (id: string) => ({ id, to_phone: `+1555${id}`, attempt: 2 });

/** The ids that the database knows to be of people who opted out. */
let unwilling: string[];
const sql = vi.fn<(...parts: unknown[]) => Promise<{ id: string }[]>>(async () => Promise.resolve(unwilling.map((id) => ({ id }))));
const context = {
  sql,
  vault: { fingerprint: (text: string) => text },
  config: { timeLimits: defaultTimeLimits },
  clock: { now: () => new Date(0) },
} as unknown as Parameters<typeof recordRefusals>[0];

beforeEach(() => {
  vi.clearAllMocks();
  unwilling = [];
});

it("nothing is recorded of messages that were taken, refused for another reason, or not sent", async () => {
  const refused = {
    kind: "refused" as const,
    code: "131026",
    reason: "",
    class: "recipient" as const,
    resendHint: null,
    detail: null,
    stopsAccount: false,
  };
  await recordRefusals(context, site, [
    { toPhone: "+1", result: { kind: "accepted", waMessageId: "wamid" } },
    { toPhone: "+2", result: refused },
    { toPhone: "+3", result: { kind: "in_doubt", reason: "" } },
    { toPhone: "+4", result: null },
  ]);
  expect(sql).not.toHaveBeenCalled();
});

it("messages of before fail for those who have opted out since", async () => {
  unwilling = ["2"];
  const results = await unwillingResults(context, site, "event", [message("1"), message("2"), message("3")]);
  expect(results).toMatchObject([
    { site_id: "site", event_id: "event", id: "2", attempt: 2, status: "failed", local: true, error_code: "recipient_opted_out" },
  ]);
  const values = sql.mock.calls[0]?.slice(1) ?? [];
  expect(values).toEqual([
    JSON.stringify(["1", "2", "3"].map((id) => ({ id, phone_hash: optOutKey("account", `+1555${id}`) }))),
    "account",
    "site",
  ]);
});

it("nobody is looked for in an account of which nobody has opted out", async () => {
  unwilling = ["1"];
  expect(await unwillingResults(context, { ...site, marketing: null }, "event", [message("1")])).toEqual([]);
  expect(sql).not.toHaveBeenCalled();
});
