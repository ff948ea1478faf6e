import { type AlertBody, type AlertWords, describeAlert } from "shared/core/alert/alert";
import { wallTimeAt } from "shared/core/time-zone";
import { uuidTime } from "shared/core/uuid";
import { findAccount } from "shared/db/account";
import type { AlertRow } from "shared/db/alert/alert";
import { type DueNotice, takeDueNotices } from "shared/db/alert/notice";
import type { AdminContext } from "../context.ts";
import type { Letter } from "../mail/letter.ts";
import { shown } from "../mail/letters.ts";
import { enqueue } from "../mail/outbox.ts";

type TellContext = Pick<AdminContext, "sql" | "vault" | "config" | "clock">;

/** The content of a message to an alert's channel, as the outbox keeps it, encrypted. */
export type ChannelContent = { letter: Letter } | { text: string } | { body: string };

const lifeMs = 2 * 86_400_000;

/** Sends the due notices to the account's channels when the transaction `sql` is committed: a webhook gets each alert by itself, people get all in one message. */
export async function tellDue(context: TellContext, accountId: string): Promise<void> {
  const notices = await takeDueNotices(context.sql, accountId);
  if (notices.length === 0) return;
  const account = await findAccount(context.sql, accountId);
  const place: Place = { url: context.config.publicAdminUrl, account: shown(account?.name ?? ""), timezone: account?.timezone ?? "UTC" };
  const expiresAt = new Date(context.clock().getTime() + lifeMs);
  for (const [channelId, ofChannel] of groupBy(notices, ({ channel_id }) => channel_id)) {
    const kind = ofChannel[0]?.channel_kind;
    const send = async (content: ChannelContent): Promise<void> =>
      enqueue(context, { accountId, kind: outboxKinds[kind ?? "webhook"], toHash: null, content, expiresAt, channelId });
    if (kind === "email") await send({ letter: letterOf(linesOf(ofChannel, place), place) });
    else if (kind === "slack") await send({ text: slackTextOf(linesOf(ofChannel, place), place) });
    else for (const notice of ofChannel) await send({ body: JSON.stringify(bodyOf(notice, accountId, place)) });
  }
}

const outboxKinds = { email: "alert_mail", slack: "alert_slack", webhook: "alert_webhook" } as const;

interface Place {
  url: string;
  account: string;
  timezone: string;
}

/** One alert, as people are told of it: that it has begun, that it has ended, or both at once. */
interface Line extends AlertWords {
  text: string;
  isOver: boolean;
}

function linesOf(notices: readonly DueNotice[], { timezone }: Place): Line[] {
  return [...groupBy(notices, ({ id }) => id).values()].flatMap((ofAlert) => {
    const [alert] = ofAlert;
    if (alert === undefined) return [];
    const words = wordsOf(alert);
    const isOver = ofAlert.some(({ cleared }) => cleared);
    const isNew = ofAlert.some(({ cleared }) => !cleared);
    const times = `from ${clockOf(uuidTime(alert.id), timezone)} to ${clockOf(alert.cleared_at?.getTime() ?? 0, timezone)}`;
    return [{ ...words, isOver, text: !isOver ? words.title : isNew ? `Resolved, ${times}: ${words.title}` : `Resolved: ${words.title}` }];
  });
}

const wordsOf = ({ kind, detail, subject }: AlertRow): AlertWords => describeAlert(kind, detail, subject);

const clockOf = (instant: number, timezone: string): string => new Date(wallTimeAt(instant, timezone)).toISOString().slice(11, 16);

const mostLines = 30;

const firstLines = (lines: readonly Line[]): string[] => [
  ...lines.slice(0, mostLines).map(({ text }) => text),
  ...(lines.length > mostLines ? [`${lines.length - mostLines} more`] : []),
];

/** The first line, which sums up the others. */
function summaryOf(lines: readonly Line[]): string {
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return only.text.length > 110 ? `${only.text.slice(0, 109)}…` : only.text;
  const begun = lines.filter(({ isOver }) => !isOver).length;
  const [alerts, ends] = [`${begun} alert${begun === 1 ? "" : "s"}`, `${lines.length - begun} resolved`];
  return begun === lines.length ? alerts : begun === 0 ? ends : `${alerts}, ${ends}`;
}

function letterOf(lines: readonly Line[], { url, account }: Place): Letter {
  const [only] = lines;
  const own = `You get this e-mail because your address is an alert channel of ${account}. An owner of the account can remove it under Settings, Alerts.`;
  if (lines.length === 1 && only !== undefined) {
    const todo = only.isOver ? [] : [only.advice, { link: `${url}${only.path}`, label: "View problem" }];
    return { subject: `${account}: ${summaryOf(lines)}`, paragraphs: [`${only.text}.`, ...todo, own] };
  }
  const all = { link: `${url}/settings/alerts`, label: "All alerts" };
  return { subject: `${account}: ${summaryOf(lines)}`, paragraphs: [{ lines: firstLines(lines) }, all, own] };
}

/** Escapes a text for Slack's markup, where three characters have a meaning. */
const escapeSlack = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function slackTextOf(lines: readonly Line[], { url, account }: Place): string {
  const [only] = lines;
  const path = lines.length === 1 && only !== undefined && !only.isOver ? only.path : "/settings/alerts";
  const told = firstLines(lines).map((line) => (lines.length === 1 ? line : `• ${line}`));
  return `*${escapeSlack(account)}*\n${told.map(escapeSlack).join("\n")}\n<${url}${path}|View>`;
}

function bodyOf(notice: DueNotice, accountId: string, { url }: Place): AlertBody {
  const { title, path } = wordsOf(notice);
  return {
    type: notice.cleared ? "alert.cleared" : "alert.raised",
    id: notice.id,
    account_id: accountId,
    condition: notice.kind,
    title,
    url: `${url}${path}`,
    detail: notice.detail,
    raised_at: new Date(uuidTime(notice.id)).toISOString(),
    cleared_at: notice.cleared ? (notice.cleared_at?.toISOString() ?? null) : null,
  };
}

/** The content that the test button sends. */
export function testContent(kind: DueNotice["channel_kind"], accountId: string, account: string, url: string, now: Date): ChannelContent {
  const title = "This is a test: this account's alerts arrive here";
  const line: Line = {
    title,
    text: title,
    advice: "Nothing is wrong, and there is nothing to do.",
    path: "/settings/alerts",
    isOver: false,
  };
  const place: Place = { url, account: shown(account), timezone: "UTC" };
  if (kind === "email") return { letter: letterOf([line], place) };
  if (kind === "slack") return { text: slackTextOf([line], place) };
  const nobody = "00000000-0000-0000-0000-000000000000";
  const common = { id: nobody, account_id: accountId, condition: "backlog" as const, title, detail: { minutes: 0 }, cleared_at: null };
  return {
    body: JSON.stringify({ type: "alert.test", ...common, url: `${url}${line.path}`, raised_at: now.toISOString() } satisfies AlertBody),
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
