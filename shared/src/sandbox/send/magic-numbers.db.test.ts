import { beforeAll, describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { addTemplate, errorOf, messageId, openSandbox, type OpenSandbox, orderMessage } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

const sandbox = shared(async () => openSandbox({ slowMs: 50 }));
beforeAll(async () => {
  await addTemplate(sandbox);
});

const number = (suffix: string) => `+1555010${suffix}`;
const send = async (suffix: string) => sandbox.send(number(suffix), orderMessage);

const inboxOf = async (suffix: string) => {
  const { json } = await sandbox.call("GET", `/_sandbox/messages?to=${encodeURIComponent(number(suffix))}`, undefined, null);
  return json as { id: string; status: string; readAt?: string }[];
};
const toldOf = (id: string): string[] => sandbox.receiver.statuses(id).map(({ status }) => status);

/** The id of the number's only message, once that many statuses were reported. */
const told = async (suffix: string, count: number): Promise<string[]> => {
  const id = messageId(await send(suffix));
  return waitFor(`${count} statuses`, () => toldOf(id).length === count && toldOf(id));
};

test("a failure that comes late is told as the platform tells it, and nobody gets the message", async () => {
  const answer = await send("1050");
  expect(answer.status).toBe(200);
  const [item] = await waitFor("the failure", () => {
    const items = sandbox.receiver.statuses(messageId(answer));
    return items.length > 0 && items;
  });
  const title = expect.stringContaining("stop receiving marketing messages") as string;
  expect(item).toEqual({
    id: messageId(answer),
    status: "failed",
    timestamp: expect.stringMatching(/^\d{10}$/),
    recipient_id: "15550101050",
    errors: [{ code: 131050, title, message: title, error_data: { details: expect.any(String) }, href: expect.stringMatching(/^https:/) }],
  });
  await send("1056");
  for (const suffix of ["1050", "1056"]) expect(await inboxOf(suffix)).toEqual([]);
});

describe("answers that take longer than anybody waits", () => {
  const never = { hangMs: 3_600_000, slowMs: 3_600_000 };
  const firstMessage = async (own: OpenSandbox, to: string) =>
    waitFor("the message", async () => {
      const { json } = await own.call("GET", `/_sandbox/messages?to=${to.slice(1)}`, undefined, null);
      return (json as { id: string }[])[0]?.id;
    });

  test.each([
    ["8001", "hangs, and the message is delivered"],
    ["8017", "tells the statuses before it answers"],
  ])("…%s %s", async (suffix) => {
    await using own = await openSandbox(never);
    await addTemplate(own);
    const answer = own.send(number(suffix), orderMessage);
    const id = await firstMessage(own, number(suffix));
    await waitFor("all statuses", () => own.receiver.statuses(id).length === 3);
    // The wait takes an hour unless the sandbox stops.
    await own.restart();
    expect(messageId(await answer)).toBe(id);
  });

  test("…8002 hangs, closes the connection and delivers nothing", async () => {
    await using own = await openSandbox({ hangMs: 10 });
    await addTemplate(own);
    await expect(own.send(number("8002"), orderMessage)).rejects.toThrow(/ECONNRESET|socket|other side/i);
    expect((await own.call("GET", "/_sandbox/messages?unreached=1", undefined, null)).json).toEqual([]);
  });
});

test.each([
  ["8003", 0],
  ["8004", 1],
])("…%s answers 502 with a page; messages: %i", async (suffix, count) => {
  const answer = await send(suffix);
  expect([answer.status, answer.headers["content-type"], answer.json]).toEqual([502, "text/html", undefined]);
  expect(await inboxOf(suffix)).toHaveLength(count);
});

test.each([
  ["8005", 0],
  ["8006", 1],
])("…%s resets the connection; messages: %i", async (suffix, count) => {
  await expect(send(suffix)).rejects.toThrow(/ECONNRESET|socket|other side/i);
  expect(await inboxOf(suffix)).toHaveLength(count);
});

test("…8007 names no message", async () => {
  const answer = await send("8007");
  expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ messages: [] })]);
  expect(await inboxOf("8007")).toEqual([]);
});

test("…8009 refuses each first of two", async () => {
  const statuses = [];
  for (let i = 0; i < 4; i += 1) statuses.push((await send("8009")).status);
  expect(statuses).toEqual([500, 200, 500, 200]);
});

test("…8010 is held first", async () => {
  const answer = await send("8010");
  expect(answer.json).toMatchObject({ messages: [{ message_status: "held_for_quality_assessment" }] });
  await waitFor("the release", () => toldOf(messageId(answer)).includes("read"));
});

test.each(data<[string, string[]][]>("sandbox-send-magic-numbers", "tells"))("…%s tells %j", async (suffix, expected) => {
  expect(await told(suffix, expected.length)).toEqual(expected);
});

test("…8014 tells everything twice", async () => {
  expect((await told("8014", 6)).toSorted()).toEqual(["delivered", "delivered", "read", "read", "sent", "sent"]);
});

test("…8015 delivers and tells nothing", async () => {
  const id = messageId(await send("8015"));
  await waitFor("the message to be read", async () => (await inboxOf("8015"))[0]?.status === "read");
  await told("8011", 2);
  expect(toldOf(id)).toEqual([]);
});

test("…8008 answers late", async () => {
  expect((await send("8008")).status).toBe(200);
});

test("a message that is wrong is refused as wrong, whatever its number", async () => {
  const answer = await sandbox.send(number("1056"), { ...orderMessage, components: [] });
  expect(errorOf(answer)["code"]).toBe(132000);
});

test("a number of the range that stands for nothing is a phone like any other", async () => {
  expect((await send("9999")).status).toBe(200);
});
