import { numbers, replaceNumbers } from "shared/core/phone-in-text";
import { type Letter, oneLine } from "./letter.ts";
import letters from "./letters.json" with { type: "json" };

/**
 * An account's name in a mail: cut short so that it cannot say something else in a mailbox's list, and without anything that a mail client makes a link of,
 * such as addresses, hosts and phones.
 */
export function shown(name: string): string {
  const plain = oneLine(name.normalize("NFKC"))
    .replaceAll(/[\u3002\uff61]/g, ".")
    .replaceAll(/[@:/\\<>[\]]+|\.(?=\S)/g, " ");
  const line = replaceNumbers(plain, numbers.any, () => "… ")
    .replaceAll(/\p{Nd}[\p{Nd}\s().+-]{4,}/gu, "… ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line;
}

const nobodyKnown = "Someone who has not confirmed their e-mail address";

type Values = Readonly<Record<string, string | number | readonly string[]>>;

/** A letter with its values. A line that is a list stands for as many lines. */
export function writeLetter(name: keyof typeof letters, values: Values): Letter {
  const { subject, paragraphs }: Letter = letters[name];
  const put = (text: string): string => text.replaceAll(/\{(\w+)\}/gu, (_, member: string) => String(values[member]));
  const linesOf = (line: string): string[] => {
    const value = values[line.slice(1, -1)];
    return Array.isArray(value) ? value : [put(line)];
  };
  return {
    subject: put(subject),
    paragraphs: paragraphs.map((paragraph) => {
      if (typeof paragraph === "string") return put(paragraph);
      return "link" in paragraph ? { link: put(paragraph.link), label: paragraph.label } : { lines: paragraph.lines.flatMap(linesOf) };
    }),
  };
}

/** `inviter`: their address; null if they have not shown that it is theirs. */
export const invitationLetter = ({ account, inviter, url }: { account: string; inviter: string | null; url: string }): Letter =>
  writeLetter("invitation", { account: shown(account), inviter: inviter ?? nobodyKnown, url });

export const resetLetter = ({ url, hours, by }: { url: string; hours: number; by: string | null }): Letter =>
  writeLetter(by === null ? "resetAsked" : "resetBy", { url, by: by ?? "", time: hours === 1 ? "an hour" : `${hours} hours` });

export const confirmationLetter = ({ account, by, url }: { account: string; by: string | null; url: string }): Letter =>
  writeLetter("confirmation", { account: shown(account), by: by ?? nobodyKnown, url });

interface Week {
  account: string;
  /** The first and the last day, as YYYY-MM-DD. */
  days: [string, string];
  figures: { messages: number; delivered: number; read: number; failed: number };
  /** Why most of them failed. */
  reasons: readonly string[];
  /** How many problems opened, and how many of all are open now. */
  problems: { opened: number; open: number };
  url: string;
}

export const weekLetter = ({ account, days: [first, last], figures, reasons, problems, url }: Week): Letter => {
  const failures = reasons.map((reason) => `Failed: ${reason}`);
  return writeLetter("week", { account: shown(account), first, last, ...figures, ...problems, reasons: failures, url });
};
