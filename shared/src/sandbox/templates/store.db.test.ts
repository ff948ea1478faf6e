import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { addTemplate, errorOf, openSandbox, orderMessage, orderTemplate } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

const sandbox = shared(async () => openSandbox());

const read = async (id: string) => {
  const fields = "name,status,category,previous_category,rejected_reason,quality_score";
  return (await sandbox.call("GET", `/v25.0/${id}?fields=${fields}`)).json;
};
// A callback that was answered too late is repeated; equal ones count once.
const updatesOf = (field: string, id: string) => {
  const told = sandbox.receiver.updates(field).filter((value) => value["message_template_id"] === Number(id));
  return [...new Map(told.map((value) => [JSON.stringify(value), value])).values()];
};
const toldOf = async (field: string, id: string, count: number) =>
  waitFor(`${count} ${field}`, () => updatesOf(field, id).length === count && updatesOf(field, id));
const statusField = "message_template_status_update";

test("approved, and told so with an integer id", async () => {
  const id = await addTemplate(sandbox);
  expect(await toldOf(statusField, id, 1)).toEqual([
    {
      event: "APPROVED",
      message_template_id: Number(id),
      message_template_name: "order_shipped",
      message_template_language: "en_US",
      message_template_category: "UTILITY",
      reason: "NONE",
    },
  ]);
  expect(await read(id)).toMatchObject(data<object>("sandbox-templates-store", "approved, and told so with an integer id"));
  const entry = sandbox.receiver.received.flatMap(({ body }) => body.entry).find(({ changes }) => changes[0]?.field === statusField);
  expect(entry).toMatchObject({ id: sandbox.account.wabaId, time: expect.any(Number) });
});

test.each([
  ["reject_it", "INVALID_FORMAT"],
  ["reject_for_promotional", "PROMOTIONAL"],
  ["reject_scam", "SCAM"],
])("%s is rejected with %s", async (name, reason) => {
  const id = await addTemplate(sandbox, { ...orderTemplate, name });
  expect(await toldOf(statusField, id, 1)).toMatchObject([{ event: "REJECTED", reason }]);
  expect(await read(id)).toMatchObject({ status: "REJECTED", rejected_reason: reason });
  expect(errorOf(await sandbox.send("+491701234567", { ...orderMessage, name }))["code"]).toBe(132001);
});

test("a format fault comes with advice, other reasons without", async () => {
  const [format, scam] = [
    await addTemplate(sandbox, { ...orderTemplate, name: "reject_one" }),
    await addTemplate(sandbox, { ...orderTemplate, name: "reject_two_scam" }),
  ];
  expect((await toldOf(statusField, format, 1))[0]).toHaveProperty("rejection_info.recommendation");
  expect((await toldOf(statusField, scam, 1))[0]).not.toHaveProperty("rejection_info");
});

test.each(data<[string, string, object][]>("sandbox-templates-store", "s: taken first, rejected in review"))(
  "%s: taken first, rejected in review",
  async (_case, name, body) => {
    const id = await addTemplate(sandbox, { name, language: "de", category: "UTILITY", components: [body] });
    expect(await toldOf(statusField, id, 1)).toMatchObject([{ event: "REJECTED", reason: "INVALID_FORMAT" }]);
  },
);

test("a promotion is approved as MARKETING, and told so", async () => {
  const id = await addTemplate(sandbox, { ...orderTemplate, name: "promo_week" });
  expect(await toldOf(statusField, id, 1)).toMatchObject([{ event: "APPROVED", message_template_category: "MARKETING" }]);
  expect(await toldOf("template_category_update", id, 1)).toMatchObject([{ previous_category: "UTILITY", new_category: "MARKETING" }]);
  expect(await read(id)).toMatchObject({ category: "MARKETING", previous_category: "UTILITY" });
});

test("pending_ stays in review and cannot be sent", async () => {
  const id = await addTemplate(sandbox, { ...orderTemplate, name: "pending_one" });
  expect(await read(id)).toMatchObject({ status: "PENDING" });
  expect(errorOf(await sandbox.send("+491701234567", { ...orderMessage, name: "pending_one" }))["code"]).toBe(132001);
});

test("a review that takes a while survives a restart", async () => {
  await using own = await openSandbox({ reviewAfterMs: 300 });
  const id = await addTemplate(own);
  const status = async () => ((await own.call("GET", `/${id}`)).json as { status: string }).status;
  await own.restart();
  expect(await waitFor("the approval", async () => (await status()) === "APPROVED")).toBe(true);
  await waitFor("its update", () => own.receiver.updates(statusField).length === 1);
});

describe("what happens to templates later", () => {
  const change = async (id: string, wishes: object) => sandbox.call("PATCH", `/_sandbox/templates/${id}`, wishes, null);

  test("paused, unpaused, disabled", async () => {
    const name = "quality";
    const id = await addTemplate(sandbox, { ...orderTemplate, name });
    await toldOf(statusField, id, 1);
    const send = async () => errorOf(await sandbox.send("+491701234567", { ...orderMessage, name }))["code"];
    await change(id, { status: "PAUSED", quality: "RED" });
    expect(await send()).toBe(132015);
    expect((await sandbox.call("POST", `/v25.0/${id}/unpause`)).json).toEqual({ success: true });
    expect((await sandbox.send("+491701234567", { ...orderMessage, name })).status).toBe(200);
    await change(id, { status: "DISABLED" });
    expect(await send()).toBe(132016);
    const told = await toldOf(statusField, id, 4);
    expect(told.map((value) => [value["event"], (value["other_info"] as { title: string } | undefined)?.title])).toEqual([
      ["APPROVED", undefined],
      ["PAUSED", "FIRST_PAUSE"],
      ["APPROVED", "UNPAUSE"],
      ["DISABLED", "DISABLED"],
    ]);
    expect(await toldOf("message_template_quality_update", id, 1)).toMatchObject([
      { previous_quality_score: "UNKNOWN", new_quality_score: "RED" },
    ]);
  });

  test("changes that a slow callback has not acknowledged yet are told after it", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "unheard" });
    await toldOf(statusField, id, 1);
    sandbox.receiver.status = 500;
    await change(id, { status: "PAUSED" });
    const { attempts } = sandbox.receiver;
    await waitFor("a refused call", () => sandbox.receiver.attempts > attempts);
    await sandbox.call("POST", `/v25.0/${id}/unpause`);
    await change(id, { status: "DISABLED" });
    sandbox.receiver.status = 200;
    const told = await toldOf(statusField, id, 4);
    expect(told.map((value) => String(value["event"])).toSorted()).toEqual(["APPROVED", "APPROVED", "DISABLED", "PAUSED"]);
  });

  test("a wish replaces the outcome of a review that is under way", async () => {
    await using own = await openSandbox({ reviewAfterMs: 60 * 60 * 1000 });
    const id = await addTemplate(own);
    await own.call("PATCH", `/_sandbox/templates/${id}`, { status: "REJECTED" }, null);
    await waitFor("its update", () => own.receiver.updates(statusField).length === 1);
    const pending = async () =>
      ((await own.call("GET", `/_sandbox/accounts/${own.account.wabaId}`, undefined, null)).json as { pendingCallbacks: number })
        .pendingCallbacks;
    await waitFor("nothing else to come", async () => (await pending()) === 0);
  });

  test("only what is paused is unpaused", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "not_paused" });
    expect(errorOf(await sandbox.call("POST", `/${id}/unpause`))["error_subcode"]).toBe(2388039);
  });

  test("a wrong wish is refused in words", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "wishes" });
    const answer = await change(id, { status: "GONE" });
    expect([answer.status, answer.json]).toEqual([400, { error: expect.stringContaining("status") }]);
    expect((await change("1", {})).status).toBe(404);
  });
});
