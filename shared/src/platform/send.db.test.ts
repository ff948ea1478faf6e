import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { openSandbox } from "../../../test/support/sandbox.ts";
import type { TemplateDefinition } from "../core/template/definition.ts";
import { parseCallback } from "./callback.ts";
import { createPlatformClient } from "./client.ts";
import { testConnection } from "./connection-check.ts";
import { classify } from "./errors/classify.ts";
import { sendTemplate } from "./send.ts";
import { createTemplate, deleteTemplate, listTemplates } from "./templates.ts";

const definition: TemplateDefinition = {
  parameterFormat: "NAMED",
  header: { format: "TEXT", text: "Order {{number}}" },
  body: "Hello {{name}}, your parcel is on its way.",
  footer: "Example shop",
  buttons: [
    { type: "QUICK_REPLY", text: "Help" },
    { type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" },
  ],
  examples: { header: ["#1"], body: ["Ada"], buttonUrl: ["77"] },
};
const template = { name: "order_shipped", language: "en_US", category: "UTILITY", definition };
const text = (parameter_name: string, value: string) => ({ type: "text", parameter_name, text: value });
const message = {
  template: template.name,
  language: template.language,
  reference: "t1:a:b:1",
  components: JSON.stringify([
    { type: "header", parameters: [text("number", "#1")] },
    { type: "body", parameters: [text("name", "Ada")] },
    { type: "button", sub_type: "url", index: "1", parameters: [{ type: "text", text: "77" }] },
  ]),
};

/** A sandbox with an approved template, and a client for it. */
async function open() {
  const sandbox = await openSandbox();
  const client = createPlatformClient({ baseUrl: sandbox.url, timeoutMs: 10_000 });
  const credentials = { apiVersion: "v25.0", ...sandbox.account };
  const created = await createTemplate(client, credentials, template);
  const list = () => collect(listTemplates(client, credentials));
  await expect.poll(async () => (await list()).find(({ name }) => name === template.name)?.status).toBe("approved");
  const send = (to: string, seconds = 10) =>
    sendTemplate(client, credentials, { ...message, to }, { deadline: performance.now() + 1_000 * seconds });
  return {
    sandbox,
    client,
    credentials,
    created,
    list,
    send,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("a template comes back as it was created, and goes when it is deleted", async () => {
  await using it = await open();
  expect(it.created).toMatchObject({ category: "UTILITY" });
  const { platformId } = it.created;
  const listed = (await it.list()).find((found) => found.platformId === platformId);
  expect(listed).toMatchObject({ ...template, platformId, status: "approved", reason: null, quality: "UNKNOWN", source: null });
  await deleteTemplate(it.client, it.credentials, { platformId, name: template.name });
  expect((await it.list()).map(({ name }) => name)).not.toContain(template.name);
});

test("the connection test passes, and tells what is wrong", async () => {
  await using it = await open();
  expect(await testConnection(it.client, it.credentials)).toMatchObject({
    ok: true,
    phoneNumber: it.sandbox.account.displayPhoneNumber,
    verifiedName: "Shop",
  });
  const other = await it.sandbox.openAccount();
  const mixed = { ...it.credentials, phoneNumberId: other.phoneNumberId };
  for (const wrong of [
    { ...it.credentials, accessToken: "EAAx" },
    { ...it.credentials, wabaId: "5" },
    { ...it.credentials, appSecret: "x" },
    mixed,
  ]) {
    expect(await testConnection(it.client, wrong)).toMatchObject({ ok: false, error: expect.stringMatching(/^Check of the .* failed\. /) });
  }
});

test("a message is accepted, and its statuses bring the reference back", async () => {
  await using it = await open();
  const sent = await it.send("+491701234567");
  expect(sent).toEqual({ kind: "accepted", waMessageId: expect.stringMatching(/^wamid\./) });
  await expect.poll(() => it.sandbox.receiver.statuses()).toHaveLength(3);
  const updates = it.sandbox.receiver.received.flatMap(({ body }) => parseCallback(body).statuses);
  expect(updates.map(({ status }) => status)).toEqual(["sent", "delivered", "read"]);
  for (const { waMessageId, reference, recipient, at, error } of updates) {
    expect([waMessageId, reference, recipient, error]).toEqual([
      sent.kind === "accepted" && sent.waMessageId,
      "t1:a:b:1",
      "491701234567",
      null,
    ]);
    expect(at).toBeInstanceOf(Date);
  }
});

test("each magic number ends as it is documented", async () => {
  await using it = await open();
  const kinds = { "8003": "in_doubt", "8005": "in_doubt", "8007": "unexpected_answer", "8009": "accepted" };
  for (const [suffix, kind] of Object.entries(kinds)) expect(await it.send(`+1555010${suffix}`)).toMatchObject({ kind });
  for (const code of [131008, 131009, 131021, 131030, 131048, 132005, 132015, 132018, 131031, 190, 131016]) {
    const number = `+1555010${String(code).slice(-4).padStart(4, "0")}`;
    expect(await it.send(number, 1.5)).toMatchObject({ kind: "refused", code: String(code), class: classify({ code }).class });
  }
});
