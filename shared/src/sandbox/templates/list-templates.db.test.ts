import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorOf, namesOf } from "../../../../test/support/sandbox/answers.ts";
import { openSandbox, type OpenSandbox } from "../../../../test/support/sandbox/open-sandbox.ts";
import { addTemplate, orderTemplate } from "../../../../test/support/sandbox/templates.ts";

let sandbox: OpenSandbox;

beforeAll(async () => {
  sandbox = await openSandbox();
  for (let i = 1; i <= 29; i += 1) {
    await addTemplate(sandbox, {
      name: `t${String(i).padStart(2, "0")}`,
      language: "de",
      category: "UTILITY",
      components: [{ type: "BODY", text: `Number ${i}.` }],
    });
  }
});
afterAll(async () => sandbox[Symbol.asyncDispose]());

const list = async (query = "") => sandbox.call("GET", `/v25.0/${sandbox.account.wabaId}/message_templates${query}`);

interface Page {
  data: Record<string, unknown>[];
  paging?: { cursors: { before: string; after: string }; next?: string; previous?: string };
}
const pageOf = async (query = "") => (await list(query)).json as Page;

describe("pages", () => {
  test("25 at first, the rest behind `next`, which the last page lacks", async () => {
    const first = await pageOf();
    expect([first.data.length, first.paging?.previous]).toEqual([25, undefined]);
    const next = new URL(first.paging?.next ?? "");
    expect(next.pathname).toBe(`/v25.0/${sandbox.account.wabaId}/message_templates`);
    // The link is good without a header: it carries the token.
    const second = (await sandbox.call("GET", next.pathname + next.search, undefined, null)).json as Page;
    expect(second.data).toHaveLength(5);
    expect(second.paging?.next).toBeUndefined();
    const names = [...first.data, ...second.data].map((item) => item["name"]);
    expect(new Set(names).size).toBe(30);
    const previous = new URL(second.paging?.previous ?? "");
    const back = (await sandbox.call("GET", previous.pathname + previous.search)).json as Page;
    expect(back.data).toEqual(first.data);
  });

  test("a limit of one's own, kept by the link", async () => {
    const first = await pageOf("?limit=10&fields=name");
    expect(first.data).toHaveLength(10);
    expect(new URL(first.paging?.next ?? "").searchParams.get("limit")).toBe("10");
    const second = await pageOf(`?limit=10&fields=name&after=${first.paging?.cursors.after ?? ""}`);
    expect(second.data[0]).not.toEqual(first.data[9]);
    expect(second.data).toHaveLength(10);
  });

  test("a page that is just full has no next one", async () => {
    const page = await pageOf("?limit=30");
    expect([page.data.length, page.paging?.next]).toEqual([30, undefined]);
  });

  test("a made-up cursor: 131059", async () => {
    for (const cursor of ["abc", "MjU", Buffer.from("template:1").toString("base64url")]) {
      const answer = await list(`?after=${cursor}`);
      expect([answer.status, errorOf(answer)["code"]]).toEqual([400, 131059]);
    }
  });

  test("a stale cursor: 131059", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "stale" });
    const { paging } = await pageOf("?limit=1");
    await sandbox.call("DELETE", `/${sandbox.account.wabaId}/message_templates?hsm_id=${id}&name=stale`);
    expect(errorOf(await list(`?after=${paging?.cursors.after ?? ""}`))["code"]).toBe(131059);
  });
});

describe("fields", () => {
  test("the usual ones: no reason, no quality", async () => {
    const { data } = await pageOf("?name=t07");
    expect(data).toEqual([
      {
        name: "t07",
        parameter_format: "POSITIONAL",
        components: [{ type: "BODY", text: "Number 7." }],
        language: "de",
        status: "APPROVED",
        category: "UTILITY",
        id: expect.stringMatching(/^\d+$/),
      },
    ]);
  });

  test("those asked for, and the id", async () => {
    const { data } = await pageOf("?name=t07&fields=rejected_reason,quality_score{score},last_updated_time");
    expect(data).toEqual([
      {
        rejected_reason: "NONE",
        quality_score: { score: "UNKNOWN", date: expect.any(Number) },
        last_updated_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
        id: expect.any(String),
      },
    ]);
  });

  test("none that do not exist", async () => {
    expect(errorOf(await list("?fields=name,colour"))["message"]).toBe(
      "(#100) Tried accessing nonexisting field (colour) on node type (WhatsAppMessageTemplate)",
    );
  });

  test("a media example comes back as an address", async () => {
    const components = [
      { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::aW"] } },
      { type: "BODY", text: "It is here." },
    ];
    const id = await addTemplate(sandbox, { name: "with_image", language: "de", category: "UTILITY", components });
    expect((await sandbox.call("GET", `/${id}`)).json).toMatchObject({
      components: [{ example: { header_handle: [expect.stringMatching(/^https:\/\//)] } }, {}],
    });
  });

  test("a summary when asked", async () => {
    expect(await pageOf("?limit=1&summary=total_count,message_template_limit")).toMatchObject({
      summary: { total_count: expect.any(Number), message_template_limit: 6000 },
    });
  });
});

describe("filters", () => {
  beforeAll(async () => {
    await addTemplate(sandbox, { ...orderTemplate, name: "reject_filter", language: "fr", category: "MARKETING" });
  });

  test.each([
    ["name=t1", ["t19", "t18", "t17", "t16", "t15", "t14", "t13", "t12", "t11", "t10"]],
    ["status=rejected", ["reject_filter"]],
    ["status=REJECTED", ["reject_filter"]],
    ["language=fr", ["reject_filter"]],
    ["category=MARKETING", ["reject_filter"]],
    ["content=number 3.", ["t03"]],
    ["name_or_content=filter", ["reject_filter"]],
    ["name=nothing", []],
  ])("%s", async (query, names) => {
    expect(namesOf(await list(`?${encodeURI(query)}`))).toEqual(names);
  });
});

test("every account begins with the platform's sample and sees its own templates alone", async () => {
  const { wabaId, accessToken } = await sandbox.openAccount();
  expect(namesOf(await sandbox.call("GET", `/${wabaId}/message_templates`, undefined, accessToken))).toEqual(["hello_world"]);
});

test("templates are there after a restart", async () => {
  const before = await pageOf("?limit=100");
  await sandbox.restart();
  expect((await pageOf("?limit=100")).data).toEqual(before.data);
});
