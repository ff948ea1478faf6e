import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { addTemplate, errorOf, messageId, openSandbox, orderMessage } from "../../test/support/sandbox.ts";
import { shared } from "../../test/support/shared.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { classify } from "./platform/errors/classify.ts";
import { errorTexts } from "./sandbox/graph-error.ts";

/** The platform as its own texts describe it. The sandbox and the client are both measured by it, not by each other. */
const table = readFileSync(new URL("platform-codes.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => /^\d/.test(line))
  .map((line) => line.split(/\s+/) as [code: string, http: string, scope: string, retry: string, comes: string]);

const sandbox = shared(async () => openSandbox());
beforeAll(async () => {
  await addTemplate(sandbox);
});

test("names every code that the sandbox knows", () => {
  expect(magic.map(([code]) => Number(code)).toSorted((one, other) => one - other)).toEqual(Object.keys(errorTexts).map(Number));
});

const magic = table.filter(([code]) => !code.includes("/"));

test.each(magic)("%s: the sandbox answers %s, and says so where the platform does", async (code, http, _scope, _retry, comes) => {
  const answer = await sandbox.send(`+1555010${code.slice(-4).padStart(4, "0")}`, orderMessage);
  const isLate = answer.status === 200;
  const found = isLate ? await failureOf(messageId(answer)) : errorOf(answer)["code"];
  const status = isLate || http === "?" ? http : String(answer.status);
  expect({ found, http: status, comes: [isLate ? "callback" : "answer", "both"].includes(comes) }).toEqual({
    found: Number(code),
    http,
    comes: true,
  });
});

async function failureOf(id: string): Promise<number | undefined> {
  const failed = await waitFor("the failure", () => sandbox.receiver.statuses(id).find(({ status }) => status === "failed"));
  return (failed["errors"] as { code: number }[])[0]?.code;
}

test("an object that is not there, or not ours, is code 100 with subcode 33", async () => {
  const answer = await sandbox.call("GET", "/v25.0/12345");
  expect([answer.status, errorOf(answer)]).toMatchObject([400, { code: 100, error_subcode: 33 }]);
});

function classOf(scope: string, retry: string): string {
  if (retry === "soon" || retry === "10m") return "transient";
  if (scope === "account" || scope === "recipient") return scope;
  return /^\d+h$/.test(retry) ? "quality" : "permanent";
}

test.each(table)("%s: the client takes it for what it is", (line, _http, scope, retry) => {
  const [code, subcode] = line.split("/");
  expect(classify({ code, subcode }).class).toBe(classOf(scope, retry));
});
