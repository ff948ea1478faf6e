import { beforeAll, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { addTemplate, detailsOf, errorOf, openSandbox } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";

const text = (value: unknown, name?: string) => ({ type: "text", text: value, ...(name !== undefined && { parameter_name: name }) });
const bodyOf = (...parameters: unknown[]) => ({ type: "body", parameters });

const templates = data<Record<string, unknown[]>>("sandbox-send-parameters", "templates");
const named = data<unknown[]>("sandbox-send-parameters", "named");

const sandbox = shared(async () => openSandbox());
beforeAll(async () => {
  for (const [name, components] of Object.entries(templates))
    await addTemplate(sandbox, { name, language: "de", category: "UTILITY", components });
  await addTemplate(sandbox, { name: "named", language: "de", category: "UTILITY", parameter_format: "named", components: named });
});

const send = async (name: string, components: unknown[]) => sandbox.send("+491701234567", { name, language: { code: "de" }, components });

test.each(data<[string, string, unknown[], number, string][]>("sandbox-send-parameters", "refused:"))(
  "refused: %s",
  async (_case, name, components, code, details) => {
    const answer = await send(name, components);
    expect([answer.status, errorOf(answer)["code"], detailsOf(answer)]).toEqual([400, code, details]);
  },
);

test.each(data<[string, string, unknown[], string][]>("sandbox-send-parameters", "refused with a path:"))(
  "refused with a path: %s",
  async (_case, name, components, message) => {
    const answer = await send(name, components);
    expect([answer.status, errorOf(answer)["code"]]).toEqual([400, 100]);
    expect(errorOf(answer)["message"]).toContain(message);
  },
);

test.each(data<[string, string, unknown[], object][]>("sandbox-send-parameters", "taken:"))(
  "taken: %s",
  async (_case, name, components, shown) => {
    const answer = await send(name, components);
    expect(answer.text).toContain('"message_status":"accepted"');
    const inbox = await sandbox.call("GET", "/_sandbox/messages?limit=1", undefined, null);
    expect(inbox.json).toMatchObject([{ template: name, ...shown }]);
  },
);

test("1024 characters, however many bytes they have, fit a body", async () => {
  const answer = await send("two", [bodyOf(text("a"), text("😀".repeat(1024 - "Hello a, order  is paid.".length)))]);
  expect(answer.status).toBe(200);
});
