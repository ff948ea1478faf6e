import { expect } from "vitest";
import type { Checked } from "./compare.ts";
import { readRows } from "./rows.ts";
import { dayMs, madeAt } from "./times.ts";

/** Makes each change of many things in an account, and compares what it says that it did with the rows of before. */
export async function checkChangesOfMany({ sql, call, accountId }: Checked): Promise<void> {
  const { messages, deliveries } = await readRows(sql, accountId);
  const scheduled = messages.filter(({ status, dueAt }) => status === "scheduled" && Number(dueAt) > 0);
  const { siteId = "", toPhone: phone = "" } = scheduled[0] ?? {};
  const here = scheduled.filter((row) => row.siteId === siteId);
  const others = here.filter((row) => row.toPhone !== phone).length;
  expect(others).toBeGreaterThan(0);
  expect(await call("notifications.sendNowMany", { phone, siteId })).toEqual({ hurried: here.length - others });
  expect(await call("notifications.cancelMany", { siteId, due: false })).toEqual({ cancelled: others });

  const since = Date.now() - 29 * dayMs;
  const failed = deliveries.filter(({ id, status }) => status === "failed" && madeAt(id) >= since);
  const webhookId = failed[0]?.webhookId ?? "";
  await call("webhooks.update", { id: webhookId, enabled: true });
  const count = failed.filter((row) => row.webhookId === webhookId).length;
  expect(await call("webhookDeliveries.replayFailed", { webhookId, since: new Date(since).toISOString() })).toMatchObject({ count });

  const replaced = new Set(messages.map(({ resendOf }) => resendOf));
  const wrong = messages.filter(({ id, status, errorCode }) => status === "failed" && errorCode === "131026" && !replaced.has(id));
  expect(wrong.length).toBeGreaterThan(0);
  const asked = await call("notifications.resendMany", { errorCode: "131026", from: "2020-01-01", to: "2100-01-01", force: true });
  expect(asked).toMatchObject({ job: { total: wrong.length } });
}
