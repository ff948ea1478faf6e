import type { ReportedStatus } from "../../core/message.ts";
import type { SandboxOptions } from "../config.ts";
import { errorTexts } from "../graph-error.ts";
import table from "./behaviours.json" with { type: "json" };

/** One status update: when it happened, and when the callback is told. Milliseconds since 1970. */
export interface Report {
  status: ReportedStatus;
  at: number;
  dueAt: number;
}

/** The future of a message, known when it is accepted. A null instant never comes. */
export type ReportPlan = Record<"sentAt" | "deliveredAt" | "readAt" | "failedAt", number | null> & { reports: Report[] };

/** A repeated status comes this much later, in a call of its own. */
const copyAfterMs = 300;

/** `from` is when the message leaves, mostly as it is accepted. */
export function planReports(reports: Behaviour["reports"], from: number, options: SandboxOptions): ReportPlan {
  const begin = reports === "held" ? from + options.slowMs : from;
  const haste = reports === "at_once" ? 0 : 1;
  const sentAt = begin + options.sentAfterMs * haste;
  const deliveredAt = begin + options.deliveredAfterMs * haste;
  const readAt = begin + options.readAfterMs * haste;
  return { sentAt, deliveredAt, readAt, failedAt: null, reports: [], ...changesOf(sentAt, deliveredAt, readAt)[reports] };
}

/** What the status updates of each way change of a plan in which nothing is told. */
function changesOf(sentAt: number, deliveredAt: number, readAt: number) {
  const tell = (status: ReportedStatus, at: number, dueAt = at): Report => ({ status, at, dueAt });
  const [sent, delivered, read] = [tell("sent", sentAt), tell("delivered", deliveredAt), tell("read", readAt)];
  const all = { reports: [sent, delivered, read] };
  return {
    usual: all,
    held: all,
    at_once: all,
    none: {},
    unread: { readAt: null, reports: [sent, delivered] },
    sent_only: { deliveredAt: null, readAt: null, reports: [sent] },
    undelivered_read: { deliveredAt: readAt, reports: [sent, read] },
    sent_last: { reports: [delivered, read, tell("sent", sentAt, readAt + copyAfterMs)] },
    twice: { reports: all.reports.flatMap((one) => [one, tell(one.status, one.at, one.dueAt + copyAfterMs)]) },
    failed: { sentAt: null, deliveredAt: null, readAt: null, failedAt: sentAt, reports: [tell("failed", sentAt)] },
    failed_then_delivered: { readAt: null, failedAt: sentAt, reports: [tell("failed", sentAt), delivered] },
  } satisfies Record<string, Partial<ReportPlan>>;
}

/** How the sandbox treats messages to one magic number. */
export interface Behaviour {
  /** The meaning, for the documentation. */
  readonly meaning: string;
  /** The end of the call. `late` and `hang` give the right answer after `slowMs` and `hangMs`. */
  readonly answer: "accept" | "refuse" | "refuse_every_other" | "late" | "hang" | "drop" | "reset" | "bad_gateway" | "no_message_id";
  /** Whether the message is accepted and delivered. */
  readonly taken: boolean;
  /** The status updates that follow. */
  readonly reports: keyof ReturnType<typeof changesOf>;
  /** Error code of the refusal or failure. */
  readonly code?: number;
}

/** Magic numbers are `+1555010` and four digits. An unused number of that range counts as an ordinary phone. */
export const magicPrefix = "1555010";

const usual = { answer: "accept", taken: true, reports: "usual" } as const;
const lost = { taken: false, reports: "none" } as const;

/** Ways in which the network or the platform can behave, by the last four digits of the number. */
export const behaviours: Readonly<Record<string, Behaviour>> = Object.fromEntries(
  Object.entries(table).map(([suffix, one]) => [suffix, { ...usual, ...one } as Behaviour]),
);

/** Codes that come in a callback after the message was accepted; all others refuse the call. */
export const lateFailures: readonly number[] = [130403, 130472, 131026, 131042, 131049, 131050, 131053];

/** The behaviour for a message that is accepted and fails soon after. */
export const lateFailure = (code: number): Behaviour => ({ ...usual, reports: "failed", code, meaning: errorTexts[code]?.title ?? "" });

/** Behaviour by magic number (E.164, digits only). A code's number ends in the code's last four digits. */
export const magicNumbers: ReadonlyMap<string, Behaviour> = new Map([
  ...Object.entries(behaviours).map(([suffix, behaviour]) => [magicPrefix + suffix, behaviour] as const),
  ...Object.keys(errorTexts).map((code) => [magicPrefix + code.slice(-4).padStart(4, "0"), failureOf(Number(code))] as const),
]);

const ordinary: Behaviour = { ...usual, meaning: "accepted, sent, delivered, read" };

export const behaviourOf = (digits: string): Behaviour => magicNumbers.get(digits) ?? ordinary;

/** The behaviour for a message to somebody who blocked the business. */
export const sentOnly: Behaviour = { ...usual, reports: "sent_only", meaning: "sent, never delivered" };

function failureOf(code: number): Behaviour {
  const meaning = errorTexts[code]?.title ?? "";
  if (lateFailures.includes(code)) return lateFailure(code);
  return { ...lost, answer: "refuse", code, meaning };
}
