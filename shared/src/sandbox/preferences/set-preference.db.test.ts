import { afterAll, beforeAll, expect, it } from "vitest";
import { messageId } from "../../../../test/support/sandbox/answers.ts";
import { openSandbox, type OpenSandbox } from "../../../../test/support/sandbox/open-sandbox.ts";
import { addTemplate } from "../../../../test/support/sandbox/templates.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
  for (const category of ["MARKETING", "UTILITY"]) {
    const name = category.toLowerCase();
    const components = [{ type: "BODY", text: "There is something new in the shop today." }];
    await addTemplate(sandbox, { name, language: "en", category, components });
  }
});
afterAll(async () => sandbox[Symbol.asyncDispose]());

const prefer = async (from: string, value: string, phoneNumberId = sandbox.account.phoneNumberId) =>
  sandbox.call("POST", "/_sandbox/preferences", { phoneNumberId, from, value }, null);
const told = () => sandbox.receiver.updates("user_preferences");
const endOf = async (to: string, name: string) => {
  const id = messageId(await sandbox.send(to, { name, language: { code: "en" } }));
  const last = await waitFor("the end", () => sandbox.receiver.statuses(id).find(({ status }) => status === "read" || status === "failed"));
  return (last["errors"] as { code: number }[] | undefined)?.[0]?.code ?? last.status;
};

it("a person who stopped marketing gets no more of it until they want it again, and the callback is told", async () => {
  expect(await endOf("+5531987654321", "marketing")).toBe("read");
  expect((await prefer("+5531987654321", "stop")).json).toEqual({ waId: "553187654321", value: "stop" });
  const [first] = await waitFor("the update", () => told().length === 1 && told());
  expect(first).toMatchObject({
    metadata: { phone_number_id: sandbox.account.phoneNumberId },
    user_preferences: [{ wa_id: "553187654321", category: "marketing_messages", value: "stop", timestamp: expect.any(Number) }],
  });
  expect(await endOf("+5531987654321", "marketing")).toBe(131050);
  expect(await endOf("+553187654321", "marketing")).toBe(131050);
  expect(await endOf("+5531987654321", "utility")).toBe("read");
  await sandbox.restart();
  expect(await endOf("+5531987654321", "marketing")).toBe(131050);
  await prefer("+5531987654321", "resume");
  await waitFor("the update", () => told().length === 2);
  expect(await endOf("+5531987654321", "marketing")).toBe("read");
});

it("a preference names a number that there is, and a phone", async () => {
  expect(await prefer("+491701234567", "stop", "1")).toMatchObject({ status: 404 });
  expect((await prefer("0170", "maybe")).json).toEqual({ error: expect.stringMatching(/^from: must be an E\.164.*; value: /) });
});

it("a person is forgotten with what they prefer and what was still to be told of them", async () => {
  const to = "+491701234567";
  await prefer(to, "stop");
  await endOf(to, "utility");
  await sandbox.send("+491701234568", { name: "utility", language: { code: "en" } });
  sandbox.receiver.status = 500;
  await sandbox.send(to, { name: "utility", language: { code: "en" } });
  const forget = async (body: object) =>
    sandbox.call("POST", "/_sandbox/forget", { phoneNumberId: sandbox.account.phoneNumberId, phone: to, ...body }, null);
  expect((await forget({ before: "2000-01-01T00:00:00Z" })).json).toEqual({ deleted: 0 });
  expect(await forget({ before: "soon" })).toMatchObject({ status: 400, json: { error: expect.stringMatching(/^before: /) } });
  expect((await forget({ phoneNumberId: "another" })).json).toEqual({ deleted: 0 });
  expect((await forget({})).json).toEqual({ deleted: 2 });
  sandbox.receiver.status = 200;
  const account = await sandbox.call("GET", `/_sandbox/accounts/${sandbox.account.wabaId}`, undefined, null);
  expect(account.json).toMatchObject({ stopped: [] });
  const left = (await sandbox.call("GET", "/_sandbox/messages", undefined, null)).json as { to: string }[];
  expect(left.map(({ to: phone }) => phone)).not.toContain(to);
  expect(left.map(({ to: phone }) => phone)).toContain("+491701234568");
});
