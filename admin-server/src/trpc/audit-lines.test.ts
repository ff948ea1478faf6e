import fc from "fast-check";
import type { ChainedRow } from "shared/db/audit";
import { newId } from "shared/db/ids";
import { describe, expect, it } from "vitest";
import { jsonLine, presentAuditEntry, syslogLine } from "./audit-lines.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "]", "[", "\n", "\r", "\0", "\u0085", "\u2028", "\u2029", "\u007f", "=", " ", "ü", "😀", "u000a"),
  }),
);

const row = fc
  .record({ actor: hostile, action: hostile, subject: fc.option(hostile), address: fc.option(hostile), value: hostile, seq: fc.nat() })
  .map(({ value, ...told }): ChainedRow => ({
    ...told,
    id: newId(),
    account_id: newId(),
    actor_id: null,
    token_id: null,
    changes: [{ member: "name", personal: true }],
    content: { name: { before: value, after: null } },
    emptied_at: null,
    hash: Buffer.from("00ff", "hex"),
  }));

/** Characters that some reader takes for the end of a line, or for a command to a terminal. */
const breaks = /[\p{Cc}\u2028\u2029]/u;

const told = (entry: ChainedRow) =>
  JSON.parse(JSON.stringify({ accountId: entry.account_id, seq: entry.seq, ...presentAuditEntry(entry), hash: "00ff" })) as unknown;

describe("a line of JSON", () => {
  it("is the entry, in one line", () => {
    fc.assert(
      fc.property(row, (entry) => {
        const line = jsonLine(entry);
        expect(line.at(-1)).toBe("\n");
        expect(line.slice(0, -1)).not.toMatch(breaks);
        expect(JSON.parse(line)).toEqual(told(entry));
      }),
    );
  });
});

/** RFC 5424, section 6: HEADER SP STRUCTURED-DATA SP MSG. */
const grammar =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) \[([^\s="\]]{1,32})((?: [^\s="\]]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] (.*)\n$/su;

const parametersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/ ([^=]+)="((?:[^"\\\]]|\\["\\\]])*)"/gsu)].map(([, name = "", value = ""]) => [
      name,
      value.replaceAll(/\\(["\\\]])/g, "$1"),
    ]),
  );

describe("a line of syslog", () => {
  it("is of the RFC's grammar, in one line, and tells the entry whatever it holds", () => {
    fc.assert(
      fc.property(row, hostile, (entry, host) => {
        const line = syslogLine(entry, host);
        const [, priority, time, , name, , , id, parameters = "", message = ""] = grammar.exec(line) ?? [];
        expect([priority, name, id]).toEqual(["109", "tidings", "tidings@32473"]);
        expect(time).toBe(presentAuditEntry(entry).createdAt);
        expect(line.slice(0, -1)).not.toMatch(breaks);
        expect(message).toMatch(/^[ -~]*$/);
        expect(JSON.parse(message)).toEqual(told(entry));
        const plain = (text: string) => text.replaceAll(new RegExp(breaks, "gu"), " ");
        const { account_id: account, seq, actor, action, subject, address } = entry;
        const values = { account, seq: String(seq), actor, action, subject, address };
        const expected = Object.entries(values).flatMap(([member, value]) => (value === null ? [] : [[member, plain(value)]]));
        expect(parametersOf(parameters)).toEqual(Object.fromEntries(expected));
      }),
    );
  });

  it("warns of a failed sign-in, and names the procedure", () => {
    const [entry] = fc.sample(row, 1) as [ChainedRow];
    expect(syslogLine({ ...entry, action: "auth.failedLogin" }, "shop.example")).toMatch(
      /^<108>1 \S+ shop\.example tidings - auth\.failedLogin \[/,
    );
    expect(syslogLine({ ...entry, action: "sites.create" }, "")).toMatch(/^<109>1 \S+ - tidings - sites\.create \[/);
  });
});
