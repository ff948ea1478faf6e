import { styleText } from "node:util";
import type { AdminAnswers } from "../client.ts";
import { Failed } from "../setup/elsewhere.ts";

export type Plan = AdminAnswers["setup"]["plan"];
export type Message = AdminAnswers["notifications"]["list"]["items"][number];
export type StoredEvent = Pick<
  AdminAnswers["events"]["get"]["event"],
  "id" | "receivedAt" | "name" | "siteMode" | "test" | "dryRun" | "chat"
>;

const colour = (as: "green" | "yellow" | "red" | "dim" | "bold", text: string): string =>
  process.stdout.isTTY && process.env["NO_COLOR"] === undefined ? styleText(as, text) : text;

export const write = (text: string): void => void process.stdout.write(`${text}\n`);
export const writeJson = (value: unknown): void => write(JSON.stringify(value));
/** Writes a value as JSON, or shows it to people. */
export const answer = <T>(json: true | undefined, value: T, show: (value: T) => void): void => (json ? writeJson(value) : show(value));

/** Every control character but line breaks is left out: texts of events come from anywhere, and a terminal obeys them. */
export const plain = (text: string): string => text.replace(/[^\P{C}\n\t]/gu, "");

const signs = { create: ["+", "green"], change: ["~", "yellow"], remove: ["-", "red"] } as const;
const reasons = { create: "is not there yet", change: "differs", remove: "is not in the new set-up" };

/** One line for each change, with its reason. */
export function showPlan({ changes, besides, warnings }: Plan): void {
  for (const { action, kind, name, site, members } of changes) {
    const [sign, as] = signs[action];
    const why =
      members.length === 0
        ? reasons[action]
        : members.map(({ member, before, after }) => `${member} ${shorten(before)} → ${shorten(after)}`).join(", ");
    write(plain(colour(as, `${sign} ${kind} ${name}${site === null ? "" : ` of ${site}`}`)) + colour("dim", `: ${plain(why)}`));
  }
  for (const { site, binding, message } of warnings) write(colour("yellow", plain(`! ${site}, ${binding}: ${message}`)));
  const count = (action: Plan["changes"][number]["action"]): number => changes.filter((change) => change.action === action).length;
  write(
    changes.length === 0 ? "Nothing differs." : `${count("create")} to create, ${count("change")} to change, ${count("remove")} to remove.`,
  );
  if (besides.length > 0)
    write(
      colour(
        "dim",
        `Not in the new set-up, so they stay; --prune removes them: ${plain(besides.map(({ kind, name }) => `${kind} ${name}`).join(", "))}`,
      ),
    );
}

const kinds = { changed: signs.change, added: signs.create, removed: signs.remove } as const;

/** The numbers of a comparison, and one line for each example. */
export function showComparison(site: string, { events, unread, messages, samples, leftOut }: AdminAnswers["bindings"]["plan"]): void {
  const { same, changed, added, removed } = messages;
  write(
    plain(
      `${site}, ${counted(events, "event")}: ${counted(same, "message")} as now, ${changed} changed, ${added} added, ${removed} removed.`,
    ),
  );
  if (unread > 0) write(colour("yellow", `! ${counted(unread, "event")} left out: the payload is gone or cannot be read.`));
  for (const { kind, at, before, after } of samples) {
    const [sign, as] = kinds[kind];
    const tell = (message: typeof before) => message && `${message.dueAt === null ? "" : `at ${message.dueAt}: `}${message.text}`;
    const what = [tell(before), tell(after)].filter((text) => text !== null).map(shorten);
    write(plain(colour(as, `${sign} ${at}  ${(after ?? before)?.phone}  ${(after ?? before)?.template}  ${what.join(" → ")}`)));
  }
  write(colour("dim", `Left out: ${leftOut.join(", ")}.`));
}

const longest = 120;

function shorten(value: unknown): string {
  const text = value == null ? "none" : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const testSite = (mode: StoredEvent["siteMode"]): string[] => (mode === "test" ? ["test site"] : []);
const marked = (marks: string[]): string => (marks.length > 0 ? `  (${marks.join(", ")})` : "");
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

export function showEvent({ id, receivedAt, name, siteMode, test, dryRun, chat }: StoredEvent): void {
  const marks = [...testSite(siteMode), ...(test ? ["test"] : []), ...(dryRun ? ["dry run"] : [])];
  write(plain(`${receivedAt}  ${id}  ${name}  ${chat ?? "under way"}${marked(marks)}`));
}

export function showMessage({ id, createdAt, event, template, toPhone, status, siteMode, errorCode, errorReason }: Message): void {
  const error = errorCode === null ? "" : `  ${errorCode} ${errorReason ?? ""}`;
  write(plain(`${createdAt}  ${id}  ${event}  ${template}  ${toPhone}  ${status}${marked(testSite(siteMode))}${error}`));
}

export function explainEvent({ event }: AdminAnswers["events"]["get"]): void {
  write(plain(`${event.name} of ${event.receivedAt}: ${event.chat ?? "under way"}${marked(testSite(event.siteMode))}`));
  const { trace } = event;
  write(plain(trace.summary));
  for (const { template, language, fired, recipients, reasons: why, messages } of trace.bindings) {
    write(
      plain(
        `  ${template} (${language}): ${fired ? counted(recipients, "recipient") : "did not fire"}${why.length > 0 ? `; ${why.join("; ")}` : ""}`,
      ),
    );
    for (const { id, toPhone, status, explanation } of messages)
      write(plain(`    ${id}  ${toPhone}  ${status}${explanation === null ? "" : `  ${explanation.text}`}`));
  }
}

/** What went wrong, to stderr; with `--json` also as one value on stdout. */
export function showFailure(error: Error, asJson: boolean): void {
  const { code = "FAILED", issues = [] } = error instanceof Failed ? error : { code: "WRONG_USAGE" };
  if (asJson) writeJson({ error: { code, message: error.message, ...(issues.length > 0 && { issues }) } });
  process.stderr.write(
    `${plain(error.message)}\n${issues
      .filter(({ message }) => !error.message.endsWith(message))
      .map(({ message }) => `  ${plain(message)}\n`)
      .join("")}`,
  );
}
