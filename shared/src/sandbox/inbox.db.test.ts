import { afterAll, beforeAll, beforeEach, describe, expect, test, it } from "vitest";
import { addTemplate, messageId, openSandbox, type OpenSandbox, orderMessage } from "../../../test/support/sandbox.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

describe("inbox", () => {
  const AN_HOUR = 3_600_000;
  let sandbox: OpenSandbox;

  beforeAll(async () => {
    sandbox = await openSandbox({ deliveredAfterMs: AN_HOUR, readAfterMs: AN_HOUR });
    await addTemplate(sandbox);
  });
  beforeEach(async () => {
    await control("DELETE", "/messages");
  });
  afterAll(async () => sandbox[Symbol.asyncDispose]());

  const control = async (method: string, path: string) => sandbox.call(method, `/_sandbox${path}`, undefined, null);
  const list = async (query = "") =>
    (await control("GET", `/messages${query}`)).json as { id: string; to: string; status: string; readAt?: string }[];
  const send = async (to: string) => messageId(await sandbox.send(to, orderMessage));

  describe("list", () => {
    test("newest first, one phone's with `to` in any form", async () => {
      const [a, b, c] = [await send("+491700000001"), await send("+491700000002"), await send("+491700000001")];
      expect((await list()).map(({ id }) => id)).toEqual([c, b, a]);
      for (const to of ["+491700000001", "%2B491700000001", "491700000001"])
        expect((await list(`?to=${to}`)).map(({ id }) => id)).toEqual([c, a]);
      expect(await list("?to=+49170")).toEqual([]);
      expect((await list("?to=")).map(({ id }) => id)).toEqual((await list()).map(({ id }) => id));
      expect((await list("?limit=1")).map(({ id }) => id)).toEqual([c]);
      expect((await control("GET", "/messages?limit=x")).status).toBe(400);
    });

    test("one sender's with `phoneNumberId`", async () => {
      const other = await sandbox.openAccount();
      const body = {
        messaging_product: "whatsapp",
        to: "+491700000001",
        type: "template",
        template: { name: "hello_world", language: { code: "en_US" } },
      };
      await sandbox.call("POST", `/${other.phoneNumberId}/messages`, body, other.accessToken);
      const own = await send("+491700000001");
      expect((await list(`?phoneNumberId=${sandbox.account.phoneNumberId}`)).map(({ id }) => id)).toEqual([own]);
      expect(await list()).toHaveLength(2);
    });

    test("is there at once, and after a restart", async () => {
      const id = await send("+491700000001");
      const before = await list();
      await sandbox.restart();
      expect(await list()).toEqual(before);
      expect((await control("GET", `/messages/${encodeURIComponent(id)}`)).json).toEqual(before[0]);
    });

    test("what never reaches the phone is shown only when asked for", async () => {
      await send("+15550101026");
      expect(await list()).toEqual([]);
      expect(await list("?unreached=1")).toMatchObject([{ to: "+15550101026", errorCode: 131026 }]);
    });
  });

  test("emptying", async () => {
    await send("+491700000001");
    expect((await control("DELETE", "/messages")).json).toEqual({ deleted: 1 });
    expect(await list()).toEqual([]);
  });

  describe("read", () => {
    const read = async (id: string) => control("POST", `/messages/${encodeURIComponent(id)}/read`);
    const toldOf = (id: string) => sandbox.receiver.statuses(id).map(({ status }) => status);

    test("shows the message as read, and tells what was still to come", async () => {
      const id = await send("+491700000001");
      await waitFor("sent to be told", () => toldOf(id).length === 1);
      expect((await read(id)).json).toMatchObject({ id, status: "read", deliveredAt: expect.any(String), readAt: expect.any(String) });
      await waitFor("all statuses", () => toldOf(id).length === 3);
      expect(toldOf(id)).toEqual(["sent", "delivered", "read"]);
      const now = Date.now() / 1000;
      for (const { timestamp } of sandbox.receiver.statuses(id)) expect(Number(timestamp)).toBeLessThanOrEqual(now);
    });

    test("reading twice tells once", async () => {
      const id = await send("+491700000001");
      const [first, second] = [(await read(id)).json, (await read(id)).json];
      expect(second).toEqual(first);
      await waitFor("all statuses", () => toldOf(id).length >= 3);
      const later = await send("+491700000002");
      await read(later);
      await waitFor("the later one", () => toldOf(later).length === 3);
      expect(toldOf(id)).toHaveLength(3);
    });

    test("of the number that never reads by itself", async () => {
      const id = await send("+15550108011");
      await read(id);
      await waitFor("all statuses", () => toldOf(id).includes("read"));
    });

    test("not of what never arrived, nor of what is not there", async () => {
      expect((await read(await send("+15550101026"))).status).toBe(409);
      expect((await read("wamid.nope")).status).toBe(404);
    });
  });
});

describe("set preference", () => {
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
    const last = await waitFor("the end", () =>
      sandbox.receiver.statuses(id).find(({ status }) => status === "read" || status === "failed"),
    );
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

  it("a person answers, and the callback is told beside statuses", async () => {
    const { phoneNumberId } = sandbox.account;
    const answer = async (body: object) =>
      sandbox.call("POST", "/_sandbox/answers", { phoneNumberId, from: "+5531987654321", ...body }, null);
    expect(await answer({ text: " Stop ✋ " })).toMatchObject({ status: 200, json: { id: expect.stringMatching(/^wamid\./) } });
    const isAnswer = (value: object) => "messages" in value;
    const [told] = await waitFor("the answer", () => {
      const found = sandbox.receiver.updates("messages").filter(isAnswer);
      return found.length === 1 && found;
    });
    expect(told).toMatchObject({
      metadata: { phone_number_id: phoneNumberId },
      messages: [{ from: "553187654321", type: "text", text: { body: "Stop ✋" }, timestamp: expect.stringMatching(/^\d{10}$/) }],
    });
    expect(await answer({ text: "Stop", phoneNumberId: "1" })).toMatchObject({ status: 404 });
    expect((await answer({ text: " " })).status).toBe(400);
    expect((await answer({ text: "Stop", from: "0170" })).status).toBe(400);
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
});
