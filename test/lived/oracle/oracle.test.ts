import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { procedurePaths } from "../../support/admin.ts";
import { checkNumbers, compare } from "./check-numbers.ts";
import type { Checked } from "./compare.ts";
import { planted, victimsOf } from "./planted.ts";
import { judgedPaths } from "./procedures.ts";
import { readRows } from "./rows.ts";
import { type OracleWorld, openOracleWorld } from "./world.ts";

/** Each comparison makes hundreds of calls. */
const timeout = 300_000;

it("of every procedure it is settled which numbers are compared", () => {
  expect(judgedPaths.toSorted()).toEqual(procedurePaths.toSorted());
});

describe("every number that a person sees is what the rows say", { timeout }, () => {
  let world: OracleWorld;
  beforeAll(async () => {
    world = await openOracleWorld();
  }, timeout);
  afterAll(async () => world?.[Symbol.asyncDispose]());
  const account = (index: number): Checked => {
    const checked = world.accounts[index];
    if (checked === undefined) throw new Error("no such account");
    return { ...checked, now: new Date() };
  };

  it.each([0, 1])("account %i", async (index) => {
    expect(await checkNumbers(account(index), { patienceMs: 20_000 })).toEqual([]);
  });

  it("what a change of many says that it did is what the rows say", async () => {
    const { call, accountId } = account(1);
    const { messages, deliveries } = await readRows(world.sql, accountId);
    const scheduled = messages.filter(({ status, dueAt }) => status === "scheduled" && Number(dueAt) > 0);
    const { siteId = "", toPhone: phone = "" } = scheduled[0] ?? {};
    const others = scheduled.filter((row) => row.siteId === siteId && row.toPhone !== phone).length;
    expect(others).toBeGreaterThan(0);
    expect(await call("notifications.sendNowMany", { phone, siteId })).toEqual({ hurried: scheduled.length - others });
    expect(await call("notifications.cancelMany", { siteId, due: false })).toEqual({ cancelled: others });
    const failed = deliveries.filter(({ status }) => status === "failed");
    const webhookId = failed[0]?.webhookId ?? "";
    await call("webhooks.update", { id: webhookId, enabled: true });
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const count = failed.filter((row) => row.webhookId === webhookId).length;
    expect(await call("webhookDeliveries.replayFailed", { webhookId, since })).toMatchObject({ count });
    const replaced = new Set(messages.map(({ resendOf }) => resendOf));
    const wrong = messages.filter(({ id, status, errorCode }) => status === "failed" && errorCode === "131026" && !replaced.has(id));
    const asked = await call("notifications.resendMany", { errorCode: "131026", from: "2020-01-01", to: "2100-01-01", force: true });
    expect(asked).toMatchObject({ job: { total: wrong.length } });
  });

  it.each(planted)("%s turns it red", async (_, area, finding, plant) => {
    const rows = await readRows(world.sql, account(0).accountId);
    await plant(victimsOf(rows), world.sql);
    const findings = await compare(account(0), rows, [area]);
    expect(findings.map(({ where }) => where)).toContainEqual(expect.stringContaining(finding));
  });
});
