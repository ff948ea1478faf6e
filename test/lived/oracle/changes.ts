import { type Checked, groupBy } from "./compare.ts";
import { readRows } from "./rows.ts";
import { dayMs, iso, madeAt } from "./times.ts";

/** Makes each change of many things in an account; answers how many each says that it changed, and how many the rows of before say. */
export async function changeMany({ sql, call, accountId }: Checked): Promise<{ said: object; counted: object }> {
  const { messages, deliveries } = await readRows(sql, accountId);
  const scheduled = messages.filter(({ status, dueAt }) => status === "scheduled" && Number(dueAt) > 0);
  const [here = []] = [...groupBy(scheduled, ({ siteId }) => siteId).values()].toSorted((one, other) => other.length - one.length);
  const { siteId = "", toPhone: phone = "" } = here[0] ?? {};
  const cancelled = here.filter((row) => row.toPhone !== phone).length;
  const since = Date.now() - 29 * dayMs;
  const failed = deliveries.filter(({ id, status }) => status === "failed" && madeAt(id) >= since);
  const webhookId = failed[0]?.webhookId ?? "";
  const count = failed.filter((row) => row.webhookId === webhookId).length;
  const replaced = new Set(messages.map(({ resendOf }) => resendOf));
  const isWrong = ({ id, status, errorCode }: (typeof messages)[number]) =>
    status === "failed" && errorCode === "131026" && !replaced.has(id);
  const total = messages.filter(isWrong).length;
  if ([cancelled, count, total].includes(0)) throw new Error("there is nothing to change");

  const ask = async (path: string, input: object) => (await call(path, input)) as Record<string, number> & { job: { total: number } };
  const { hurried } = await ask("notifications.sendNowMany", { phone, siteId });
  const stopped = await ask("notifications.cancelMany", { siteId, due: false });
  await call("webhooks.update", { id: webhookId, enabled: true });
  const replayed = await ask("webhookDeliveries.replayFailed", { webhookId, since: iso(since) });
  const resent = await ask("notifications.resendMany", { errorCode: "131026", from: "2020-01-01", to: "2100-01-01", force: true });
  return {
    said: { hurried, cancelled: stopped["cancelled"], count: replayed["count"], total: resent.job.total },
    counted: { hurried: here.length - cancelled, cancelled, count, total },
  };
}
