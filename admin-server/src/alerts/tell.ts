import type { AlertBody, ChannelKind, programs } from "shared/core/alert/alert";
import { dayMs, weekMs } from "shared/core/durations";
import { pathOf } from "shared/core/problem/actions";
import { type Ranked, kindFacts, rankProblems } from "shared/core/problem/problem";
import { type ProblemWords, describeProblem } from "shared/core/problem/words";
import { grouped } from "shared/core/text";
import { firstInstantAt, wallTimeAt } from "shared/core/time-zone";
import { findAccount } from "shared/db/account";
import { listChannels } from "shared/db/alert/channel";
import { type AlertWatchRow, noteWeek } from "shared/db/alert/watch";
import { countNotifications } from "shared/db/notification/statistics";
import { type DueNotice, takeDueNotices } from "shared/db/problem/notice";
import { countProblems, toTellable } from "shared/db/problem/problem";
import { titleOf } from "shared/platform/errors/classify";
import type { AdminContext } from "../context.ts";
import type { Letter } from "../mail/letter.ts";
import { shown, writeLetter } from "../mail/letters.ts";
import { enqueue } from "../mail/outbox.ts";

type TellContext = Pick<AdminContext, "sql" | "vault" | "config" | "clock">;

/** The content of a message to an alert's channel, as the outbox keeps it, encrypted. */
export type ChannelContent = { letter: Letter } | { text: string } | { body: string } | { card: object } | { incident: object };

const lifeMs = 2 * 86_400_000;

/** Sends the due notices to the account's channels when the transaction `sql` is committed: programs get each alert by itself, people get all in one message. */
export async function tellDue(context: TellContext, accountId: string): Promise<void> {
  const notices = await takeDueNotices(context.sql, accountId);
  if (notices.length === 0) return;
  const account = await findAccount(context.sql, accountId);
  const place: Place = { url: context.config.publicAdminUrl, account: shown(account?.name ?? ""), timezone: account?.timezone ?? "UTC" };
  const expiresAt = new Date(context.clock().getTime() + lifeMs);
  for (const [channelId, ofChannel] of grouped(notices.map((notice) => [notice.channel_id, notice]))) {
    const kind = ofChannel[0]?.channel_kind ?? "webhook";
    const contents =
      kind in forPrograms
        ? ofChannel.map((notice) => forPrograms[kind as Program](notice, accountId, place))
        : [forPeople[kind as People](linesOf(ofChannel, place), place)];
    const to = { accountId, toHash: null, expiresAt, channelId };
    for (const content of contents) await enqueue(context, { ...to, kind: kind === "email" ? "alert_mail" : `alert_${kind}`, content });
  }
}

type Program = (typeof programs)[number];
type People = Exclude<ChannelKind, Program>;

/** What programs get of each notice. */
const forPrograms: Record<Program, (notice: DueNotice, accountId: string, place: Place) => ChannelContent> = {
  pagerduty: (notice, _, place) => ({ incident: incidentOf(notice, place) }),
  webhook: (notice, accountId, place) => ({ body: JSON.stringify(bodyOf(notice, accountId, place)) }),
};

/** What people get of all notices together. */
const forPeople: Record<People, (lines: readonly Line[], place: Place) => ChannelContent> = {
  email: (lines, place) => ({ letter: letterOf(lines, place) }),
  slack: (lines, place) => ({ text: slackTextOf(lines, place) }),
  teams: (lines, place) => ({ card: cardOf(lines, place) }),
};

type Place = Record<"url" | "account" | "timezone", string>;

/** One problem, as people are told of it: that it has opened, that it was resolved, or both at once. */
interface Line extends Ranked, Pick<ProblemWords, "title" | "advice"> {
  /** The page of the dashboard where people can act. */
  path: string;
  text: string;
  isOver: boolean;
}

/** Those that are open come first, the most harmful at the top. */
function linesOf(notices: readonly DueNotice[], { timezone }: Place): Line[] {
  const lines = [...grouped(notices.map((notice) => [notice.id, notice])).values()].flatMap((ofProblem) => {
    const [problem] = ofProblem;
    if (problem === undefined) return [];
    const words = wordsOf(problem);
    const isOver = ofProblem.some(({ cleared }) => cleared);
    const isNew = ofProblem.some(({ cleared }) => !cleared);
    const times = `from ${clockOf(problem.opened_at.getTime(), timezone)} to ${clockOf(problem.resolved_at?.getTime() ?? 0, timezone)}`;
    return [{ ...words, isOver, text: !isOver ? words.title : isNew ? `Resolved, ${times}: ${words.title}` : `Resolved: ${words.title}` }];
  });
  return rankProblems(lines).toSorted((a, b) => Number(a.isOver) - Number(b.isOver));
}

/** The words of a problem, the title with the number that is part of it. */
function wordsOf(problem: DueNotice): Omit<Line, "text" | "isOver"> {
  const told = toTellable(problem);
  const { title, advice, counted } = describeProblem(told);
  const { kind, count, lastAt } = told;
  return { kind, count, lastAt, advice, title: counted === null ? title : `${title} (${counted})`, path: pathOf(told) };
}

const clockOf = (instant: number, timezone: string): string => new Date(wallTimeAt(instant, timezone)).toISOString().slice(11, 16);

const mostLines = 30;

const firstLines = (lines: readonly Line[]): string[] => [
  ...lines.slice(0, mostLines).map(({ text }) => text),
  ...(lines.length > mostLines ? [`${lines.length - mostLines} more`] : []),
];

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** The first line, which names the worst and sums up the others. */
function summaryOf(lines: readonly Line[]): string {
  const [worst] = lines;
  if (worst === undefined || lines.length === 1) return cut(worst?.text ?? "", 110);
  const ends = lines.filter(({ isOver }) => isOver).length;
  const more = lines.length - ends - 1;
  if (worst.isOver) return `${ends} resolved`;
  return [`${cut(worst.text, 80)}${more > 0 ? ` and ${more} more` : ""}`, ...(ends > 0 ? [`${ends} resolved`] : [])].join("; ");
}

function letterOf(lines: readonly Line[], { url, account }: Place): Letter {
  const [only] = lines;
  const own = `You get this e-mail because your address is an alert channel of ${account}. An owner of the account can remove it under Settings, Alerts.`;
  if (lines.length === 1 && only !== undefined) {
    const todo = only.isOver ? [] : [only.advice, { link: `${url}${only.path}`, label: "View problem" }];
    return { subject: `${account}: ${summaryOf(lines)}`, paragraphs: [`${only.text}.`, ...todo, own] };
  }
  const all = { link: `${url}/problems`, label: "All problems" };
  return { subject: `${account}: ${summaryOf(lines)}`, paragraphs: [{ lines: firstLines(lines) }, all, own] };
}

/** Escapes a text for Slack's markup, where three characters have a meaning. */
const escapeSlack = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const slackTextOf = (lines: readonly Line[], { url, account }: Place): string =>
  `*${escapeSlack(account)}*\n${listed(lines).map(escapeSlack).join("\n")}\n<${url}${openOf(lines)?.path ?? "/problems"}|View>`;

/** The open problem that a message is about, if it is about a single one. */
const openOf = ([only, ...others]: readonly Line[]): Line | undefined => (others.length > 0 || only?.isOver === true ? undefined : only);
const listed = (lines: readonly Line[]): string[] => firstLines(lines).map((line) => (lines.length === 1 ? line : `• ${line}`));

/** A message with an Adaptive Card, as a Workflows webhook of Teams takes it. Runs of text, unlike blocks, hold no markup. */
function cardOf(lines: readonly Line[], { url, account }: Place): object {
  const one = openOf(lines);
  const run = (text: string, looks: object = {}) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...looks }] });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      run(account, { weight: "Bolder" }),
      ...listed(lines).map((line) => run(line)),
      ...(one === undefined ? [] : [run(one.advice, { isSubtle: true })]),
    ],
    actions: [{ type: "Action.OpenUrl", title: "View", url: `${url}${one?.path ?? "/problems"}` }],
  };
  return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }] };
}

const severities = { stops: "critical", loses: "error", risks: "warning" } as const;
const longestSummary = 1_024;

/** An event of PagerDuty's Events API v2, without its routing key: the problem's id joins its begin with its end. */
function incidentOf(notice: DueNotice, { url, account }: Place): object {
  const { title, advice, path } = wordsOf(notice);
  return {
    event_action: notice.cleared ? "resolve" : "trigger",
    dedup_key: notice.id,
    client: "Tidings",
    client_url: `${url}/problems`,
    ...(!notice.cleared && {
      payload: {
        summary: `${account}: ${title}`.slice(0, longestSummary),
        source: new URL(url).host,
        severity: severities[kindFacts[notice.kind].harm],
        timestamp: notice.opened_at.toISOString(),
        class: notice.kind,
        custom_details: { advice, ...notice.detail },
      },
      links: [{ href: `${url}${path}`, text: "View" }],
    }),
  };
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
    raised_at: notice.opened_at.toISOString(),
    cleared_at: notice.cleared ? (notice.resolved_at?.toISOString() ?? null) : null,
  };
}

/** What the test button sends, one after the other: an incident is also resolved. */
export function testContents(kind: ChannelKind, accountId: string, account: string, url: string, now: Date): ChannelContent[] {
  const title = "This is a test: this account's alerts arrive here";
  const advice = "Nothing is wrong, and there is nothing to do.";
  const line: Line = {
    kind: "backlog",
    count: 0,
    lastAt: now.toISOString(),
    title,
    text: title,
    advice,
    path: "/settings/alerts",
    isOver: false,
  };
  const place: Place = { url, account: shown(account), timezone: "UTC" };
  if (kind === "pagerduty") {
    const incident = { dedup_key: `test ${accountId}`, client: "Tidings", client_url: `${url}${line.path}` };
    const payload = { summary: `${place.account}: ${title}`, source: new URL(url).host, severity: "info" };
    return [{ incident: { ...incident, event_action: "trigger", payload } }, { incident: { ...incident, event_action: "resolve" } }];
  }
  if (kind !== "webhook") return [forPeople[kind]([line], place)];
  const common = {
    id: "00000000-0000-0000-0000-000000000000",
    account_id: accountId,
    condition: "backlog" as const,
    title,
    detail: { minutes: 0 },
    cleared_at: null,
  };
  const body: AlertBody = { type: "alert.test", ...common, url: `${url}${line.path}`, raised_at: now.toISOString() };
  return [{ body: JSON.stringify(body) }];
}

/** The hour of Monday from which on the last week is told. */
const hour = 8;
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
  const letter = await letterOfWeek(context, accountId, week, timezone);
  const expiresAt = new Date(context.clock().getTime() + lifeMs);
  for (const { id: channelId } of channels)
    await enqueue(context, { accountId, kind: "alert_mail", toHash: null, content: { letter }, expiresAt, channelId });
}

async function letterOfWeek({ sql, config }: TellContext, accountId: string, week: string, timezone: string) {
  const begin = Date.parse(week);
  const [from, to] = [begin, begin + weekMs].map((wall) => new Date(firstInstantAt(wall, timezone))) as [Date, Date];
  const rows = await countNotifications(sql, { accountId, siteId: null, from, to, timezone, exact: true });
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
    .map(({ code, count }) => `Failed: ${count} × ${titleOf(code)} · ${code}`);
  const account = await findAccount(sql, accountId);
  return writeLetter("week", {
    account: shown(account?.name ?? ""),
    first: week,
    last: new Date(begin + 6 * dayMs).toISOString().slice(0, 10),
    messages: of(),
    delivered: of("delivered", "read"),
    read: of("read"),
    failed: of("failed"),
    reasons,
    ...(await countProblems(sql, accountId, from, to)),
    url: config.publicAdminUrl,
  });
}
