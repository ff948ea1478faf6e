import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expressionNames } from "../core/expressions.ts";
import { dropStatuses, notificationStatuses } from "../core/message.ts";
import { recipientStrategies } from "../core/recipient.ts";
import { localErrors } from "../platform/errors/local-errors.ts";
import { findStandardSigner, signBody } from "../secrets/signature.ts";
import { readDocsBundle } from "./bundle.ts";
import { topics } from "./topics.ts";

const bundle = readDocsBundle();

describe("the documentation bundle", () => {
  it("has every file of the folder, each once", () => {
    const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".md"));
    expect(files.toSorted()).toEqual(topics.map((topic) => `${topic}.md`).toSorted());
  });

  it("is one document: one title, and every other heading below it", () => {
    const prose = bundle.replaceAll(/^```[\s\S]*?^```/gm, "");
    expect(prose.match(/^# .*/gm)).toEqual(["# Tidings: developer documentation"]);
    expect(prose.match(/^## .*/gm)?.length).toBeGreaterThanOrEqual(topics.length);
    expect(bundle.match(/^```/gm)?.length).toSatisfy((fences: number) => fences % 2 === 0);
  });

  it("names only sections that exist", () => {
    const titles = bundle.match(/^##+ .*/gm)?.map((line) => line.replace(/^#+ /, "")) ?? [];
    const named = [...bundle.matchAll(/\b[Ss]ee "([^"]+)"|headers of "([^"]+)"/g)].map(([, see, of]) => see ?? of);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(titles).toContain(name);
  });

  it.each([
    ["status of a message", notificationStatuses],
    ["recipient strategy", recipientStrategies],
    ["expression helper", expressionNames],
  ])("explains every %s", (_, names) => {
    for (const name of names) expect(bundle).toContain(`\n| \`${name}\` | `);
  });

  it("explains every code of our own, and says of those of dropped messages alone that they are not resent", () => {
    const [, table = ""] = /^### Codes in the log\n[^|]*((?:\|.*\n)+)/m.exec(bundle) ?? [];
    const rows = Array.from(table.matchAll(/^\| (`.*?`) \|.*\| (.*) \|$/gm), ([, codes = "", resend]) => ({
      codes: codes.split(", ").map((code) => code.replaceAll("`", "")),
      resend,
    }));
    expect(rows.flatMap(({ codes }) => codes).toSorted()).toEqual([...localErrors.keys()].toSorted());
    const final = rows.filter(({ resend }) => resend === "no");
    expect(final.flatMap(({ codes }) => codes).toSorted()).toEqual(Object.keys(dropStatuses).toSorted());
  });

  it("has the dated history in order", () => {
    expect(bundle.match(/^### (\d{4}-\d\d-\d\d|Earlier)$/gm)).toEqual([
      "### 2026-11-27",
      "### 2026-11-26",
      "### 2026-11-23",
      "### 2026-11-22",
      "### 2026-11-20",
      "### 2026-05-18",
      "### Earlier",
    ]);
  });

  it("gives a signature to check one's own code by", () => {
    const body = Buffer.from('{"ok":true}');
    expect(bundle).toContain(signBody("whsec_test", body));
    const signature = /^`(v1,[A-Za-z0-9+/]{43}=)`/m.exec(bundle)?.[1] ?? "";
    expect(findStandardSigner([{ secret: "whsec_test" }], body, { id: "msg_1", timestamp: "1700000000", signature })).toBeDefined();
  });

  it("shows JSON that is JSON", () => {
    const samples = [...bundle.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => text ?? "");
    expect(samples.length).toBeGreaterThanOrEqual(3);
    for (const sample of samples) expect(JSON.parse(sample)).toBeTypeOf("object");
  });
});
