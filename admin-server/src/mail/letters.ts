import { numbers, replaceNumbers } from "shared/core/phone-in-text";
import { findAccount } from "shared/db/account";
import type { Sql } from "shared/db/statement";
import { findEmailState } from "shared/db/user";
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

type Writer = Record<"accountId" | "userId" | "email", string>;

/** The letter to somebody whom the caller asks into the account, or to its alerts. It names the caller by an address that they have shown to be theirs alone. */
export async function writeInName(sql: Sql, { accountId, userId, email }: Writer, name: "invitation" | "confirmation", url: string) {
  const account = await findAccount(sql, accountId);
  const isProven = (await findEmailState(sql, userId))?.email_proven === true;
  return writeLetter(name, { account: shown(account?.name ?? ""), by: isProven ? email : nobodyKnown, url });
}

export const resetLetter = ({ url, hours, by }: { url: string; hours: number; by: string | null }): Letter =>
  writeLetter(by === null ? "resetAsked" : "resetBy", { url, by: by ?? "", time: hours === 1 ? "an hour" : `${hours} hours` });
