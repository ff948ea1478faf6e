import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { eventOutcomes } from "../core/event.ts";
import { dropStatuses, notificationStatuses } from "../core/message.ts";
import { recipientStrategies } from "../core/recipient.ts";
import { expressionNames } from "../core/variables.ts";
import { knownErrors } from "../platform/errors/known-errors.ts";
import { localErrors, nothingToDo } from "../platform/errors/local-errors.ts";
import { findStandardSigner, signBody, signStandard } from "../secrets/signature.ts";
import { readDocsBundle } from "./bundle.ts";
import vectors from "./samples/vectors.json" with { type: "json" };
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
    ["outcome of an event", eventOutcomes],
  ])("explains every %s", (_, names) => {
    for (const name of names) expect(bundle).toContain(`\n| \`${name}\` | `);
  });

  it("explains every code of the log, and says of those of dropped messages alone that there is nothing to do", () => {
    const rows = Array.from(bundle.matchAll(/^\| `([a-z_]+|\d[\d/]*)` \| \*\*.+\.\*\* .+ \| (.+) \|$/gm), ([, code = "", advice]) => ({
      code,
      advice,
    }));
    expect(rows.map(({ code }) => code)).toEqual([
      ...localErrors.keys(),
      ...Object.values(knownErrors).flatMap((errors) => [...errors.keys()]),
    ]);
    const final = rows.filter(({ advice }) => advice === nothingToDo);
    expect(final.map(({ code }) => code).toSorted()).toEqual(Object.keys(dropStatuses).toSorted());
  });

  it("has the dated history in order", () => {
    expect(bundle.match(/^### (\d{4}-\d\d-\d\d|Earlier)$/gm)).toEqual(data("shared-docs-bundle", "has the dated history in order"));
  });

  it("gives signatures to check one's own code by", () => {
    expect(vectors.length).toBeGreaterThanOrEqual(4);
    for (const { direction, secret, body, "webhook-id": id, "webhook-timestamp": timestamp, ...signatures } of vectors) {
      const [bytes, signature] = [Buffer.from(body), signatures["webhook-signature"]];
      expect(signBody(secret, bytes)).toBe(signatures["X-Service-Signature"]);
      const known = direction === "to Tidings" ? findStandardSigner([{ secret }], bytes, { id, timestamp, signature }) : undefined;
      expect(known === undefined ? signStandard(secret, { id, timestamp }, bytes) : signature).toBe(signature);
      expect(known === undefined).toBe(direction === "from Tidings");
    }
  });

  it("shows JSON that is JSON", () => {
    const samples = [...bundle.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => text ?? "");
    expect(samples.length).toBeGreaterThanOrEqual(3);
    for (const sample of samples) expect(JSON.parse(sample)).toBeTypeOf("object");
  });
});
