import { firstInstantAt, wallTimeAt } from "shared/core/time-zone";
import { findAccount } from "shared/db/account";
import { listChannels } from "shared/db/alert/channel";
import { type AlertWatchRow, noteWeek } from "shared/db/alert/watch";
import { countNotifications } from "shared/db/notification/statistics";
import { countProblems } from "shared/db/problem/problem";
import { titleOf } from "shared/platform/errors/classify";
import type { AdminContext } from "../context.ts";
import { shown, weekLetter } from "../mail/letters.ts";
import { enqueue } from "../mail/outbox.ts";

type TellContext = Pick<AdminContext, "sql" | "vault" | "config" | "clock">;

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** The hour of Monday from which on the last week is told. */
const hour = 8;
const lifeMs = 2 * dayMs;
const mostCodes = 3;

/** The Monday of the week that is over, as a day of the account's calendar, once it is eight o'clock on the Monday after; else the Monday before. */
function weekToTell(now: Date, timezone: string): string {
  const wall = wallTimeAt(now.getTime(), timezone) - hour * 3_600_000;
  // 1 January 1970 was a Thursday.
  const monday = Math.floor((wall / dayMs + 3) / 7) * 7 - 3;
  return new Date((monday - 7) * dayMs).toISOString().slice(0, 10);
}

/** Mails the last week's figures to the e-mail channels, once, when the transaction `sql` is committed. */
export async function tellWeek(context: TellContext, { account_id: accountId, weekly, week_told, timezone }: AlertWatchRow): Promise<void> {
  const week = weekToTell(context.clock(), timezone);
  if (!weekly || (week_told !== null && week_told >= week)) return;
  await noteWeek(context.sql, accountId, week);
  // What was switched on meanwhile begins with its own week.
  if (week_told === null) return;
  const channels = (await listChannels(context.sql, accountId)).filter(
    ({ kind, enabled, unconfirmed }) => kind === "email" && enabled && !unconfirmed,
  );
  if (channels.length === 0) return;
  const letter = await writeLetter(context, accountId, week, timezone);
  const expiresAt = new Date(context.clock().getTime() + lifeMs);
  for (const { id: channelId } of channels)
    await enqueue(context, { accountId, kind: "alert_mail", toHash: null, content: { letter }, expiresAt, channelId });
}

async function writeLetter({ sql, config }: TellContext, accountId: string, week: string, timezone: string) {
  const begin = Date.parse(week);
  const [from, to] = [begin, begin + weekMs].map((wall) => new Date(firstInstantAt(wall, timezone))) as [Date, Date];
  const rows = await countNotifications(sql, { accountId, siteId: null, from, to, timezone });
  const days = rows.filter(({ by }) => by === "day");
  const of = (...statuses: string[]): number =>
    days.reduce(
      (sum, { status, count }) => (status !== null && (statuses.length === 0 || statuses.includes(status)) ? sum + count : sum),
      0,
    );
  const reasons = rows
    .flatMap(({ by, error_code: code, count }) => (by === "error" && code !== null && code !== "" ? [{ code, count }] : []))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostCodes)
    .map(({ code, count }) => `${count} × ${titleOf(code)} · ${code}`);
  const account = await findAccount(sql, accountId);
  return weekLetter({
    account: shown(account?.name ?? ""),
    days: [week, new Date(begin + 6 * dayMs).toISOString().slice(0, 10)],
    figures: { messages: of(), delivered: of("delivered", "read"), read: of("read"), failed: of("failed") },
    reasons,
    problems: await countProblems(sql, accountId, from, to),
    url: config.publicAdminUrl,
  });
}
