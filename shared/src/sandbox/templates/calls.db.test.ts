import { beforeAll, describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { addTemplate, errorOf, namesOf, openSandbox, orderTemplate } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";

describe("list templates", () => {
  const sandbox = shared(async () => openSandbox());
  beforeAll(async () => {
    for (let i = 1; i <= 29; i += 1) {
      await addTemplate(sandbox, {
        name: `t${String(i).padStart(2, "0")}`,
        language: "de",
        category: "UTILITY",
        components: [{ type: "BODY", text: `Number ${i}.` }],
      });
    }
  });

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
      // The link carries the token, so it needs no header.
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

    test.each(data<[string, string[]][]>("sandbox-templates-calls", "examples"))("%s", async (query, names) => {
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
});

describe("create template", () => {
  const sandbox = shared(async () => openSandbox({ templateLimit: 40 }));

  const create = async (template: Record<string, unknown>) =>
    sandbox.call("POST", `/v25.0/${sandbox.account.wabaId}/message_templates`, template);

  let count = 0;
  /** A template that is valid except for its components. */
  const withComponents = async (...components: unknown[]) => {
    count += 1;
    return create({ name: `made_${count}`, language: "de", category: "UTILITY", components });
  };
  const body = (text: string, ...examples: string[]) => ({
    type: "BODY",
    text,
    ...(examples.length > 0 && { example: { body_text: [examples] } }),
  });
  const plain = { type: "BODY", text: "It is here." };
  const header = (text: string, ...examples: string[]) => ({ type: "HEADER", format: "TEXT", text, example: { header_text: examples } });
  const buttons = (...list: unknown[]) => ({ type: "BUTTONS", buttons: list });
  const url = (address: string, ...example: string[]) => ({
    type: "URL",
    text: "Open",
    url: address,
    ...(example.length > 0 && { example }),
  });
  const reply = (text = "Yes") => ({ type: "QUICK_REPLY", text });
  const phone = (number = "+4930123456") => ({ type: "PHONE_NUMBER", text: "Call", phone_number: number });

  test("a template is in review first, with an id that is a string", async () => {
    const { status, json } = await create(orderTemplate);
    expect(status).toBe(200);
    expect(json).toEqual({ id: expect.stringMatching(/^\d{15}$/), status: "PENDING", category: "UTILITY" });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no name", { name: undefined }, "(#100) The parameter name is required"],
    ["no language", { language: undefined }, "(#100) The parameter language is required"],
    ["no category", { category: undefined }, "(#100) The parameter category is required"],
    ["no components", { components: undefined }, "(#100) The parameter components is required."],
    ["a wrong category", { category: "NEWS" }, '(#100) Param category must be one of {AUTHENTICATION, MARKETING, UTILITY} - got "NEWS".'],
    ["a wrong format", { parameter_format: "ODD" }, '(#100) Param parameter_format must be one of {POSITIONAL, NAMED} - got "ODD".'],
    ["a component of no kind", { components: [{ type: "SIDE" }] }, "(#100) Param components[0] is malformed or of an unknown type."],
    [
      "a TTL out of bounds",
      { message_send_ttl_seconds: 5 },
      "(#100) Param message_send_ttl_seconds must be -1 or from 30 to 43200 for UTILITY.",
    ],
  ])("refused: %s", async (_case, change, message) => {
    const answer = await create({ ...orderTemplate, name: "odd_one", ...change });
    expect([answer.status, errorOf(answer)["code"], errorOf(answer)["message"]]).toEqual([400, 100, message]);
  });

  test.each(["Order", "order-shipped", "a b", "ä", "x".repeat(513)])("refused: the name %s", async (name) => {
    const answer = await create({ ...orderTemplate, name });
    expect(errorOf(answer)).toMatchObject({ code: 100, error_user_title: "Invalid template name" });
  });

  test.each(["pt", "en-US", "zh", "no", "EN"])("refused: the language %s", async (language) => {
    expect(errorOf(await create({ ...orderTemplate, language }))["message"]).toContain("(#100) Param language must be one of {af, sq, ar,");
  });

  describe("subcodes", () => {
    test.each<[string, unknown[], number | undefined]>([
      ["no body", [header("Hello")], 2388072],
      ["two bodies", [plain, plain], undefined],
      ["a long header", [header("x".repeat(61)), plain], 2388040],
      ["a header with a line break", [header("a\nb"), plain], 2388047],
      ["a header with an asterisk", [header("*a*"), plain], 2388047],
      ["a header with an emoji", [header("Hello 😀"), plain], 2388047],
      ["a header with two variables", [header("{{1}} and {{2}}", "a", "b"), plain], 2388047],
      ["a header without example", [header("Order {{1}}"), plain], 2388043],
      ["media without a handle", [{ type: "HEADER", format: "IMAGE" }, plain], 2388043],
      ["media by address", [{ type: "HEADER", format: "IMAGE", example: { header_handle: ["https://a.example/b.png"] } }, plain], 2388047],
      ["a long body", [body("x".repeat(1025))], 2388040],
      ["three line breaks", [body("a\n\n\nb")], 2388072],
      ["eleven emojis", [body(`a ${"😀".repeat(11)}`)], 2388072],
      ["variables only", [body("{{1}} {{2}}", "a", "b")], 2388072],
      ["a space in the braces", [body("a {{ 1 }} b", "x")], 2388072],
      ["a dollar in the braces", [body("a {{$1}} b", "x")], 2388072],
      ["a brace too few", [body("a {{1} b", "x")], 2388072],
      ["a gap in the numbers", [body("a {{1}} b {{3}} c", "x", "y")], 2388072],
      ["a variable first", [body("{{1}} is here", "x")], 2388299],
      ["a variable last", [body("Here is {{1}}", "x")], 2388299],
      ["too many variables", [body("a {{1}}, {{2}}, {{3}}.", "x", "y", "z")], 2388293],
      ["no examples", [body("a {{1}} b")], 2388043],
      ["an example too few", [body("a {{1}} b {{2}} c", "x")], 2388043],
      ["a long footer", [plain, { type: "FOOTER", text: "x".repeat(61) }], 2388040],
      ["a footer with a variable", [plain, { type: "FOOTER", text: "a {{1}} b" }], 2388073],
      ["a footer with an emoji", [plain, { type: "FOOTER", text: "a 😀" }], 2388073],
      ["a long label", [plain, buttons(reply("x".repeat(26)))], 2388040],
      ["a long URL", [plain, buttons(url(`https://a.example/${"x".repeat(2000)}`))], 2388040],
      ["a long phone number", [plain, buttons(phone("1".repeat(21)))], 2388040],
      ["a long code", [plain, buttons({ type: "COPY_CODE", example: "x".repeat(21) })], 2388040],
      ["wa.me", [plain, buttons(url("https://wa.me/4930123456"))], 2388081],
      ["whatsapp.com", [plain, buttons(url("https://api.whatsapp.com/send"))], 2388081],
      ["a URL without example", [plain, buttons(url("https://a.example/{{1}}"))], 2388043],
      ["a variable within a URL", [plain, buttons(url("https://a.example/{{1}}/b", "x"))], undefined],
      ["no URL", [plain, buttons(url("a.example"))], undefined],
      ["eleven buttons", [plain, buttons(...Array.from({ length: 11 }, () => reply()))], undefined],
      ["three URLs", [plain, buttons(url("https://a.example/"), url("https://a.example/"), url("https://a.example/"))], undefined],
      ["two phones", [plain, buttons(phone(), phone())], undefined],
      ["replies apart", [plain, buttons(reply(), phone(), reply("No"))], undefined],
    ])("%s", async (_case, components, subcode) => {
      const answer = await withComponents(...components);
      expect(answer.status).toBe(400);
      const { code, error_subcode, error_user_title, error_user_msg, is_transient } = errorOf(answer);
      expect([code, error_subcode, is_transient]).toEqual([100, subcode, false]);
      expect([error_user_title, error_user_msg]).toEqual([expect.any(String), expect.any(String)]);
    });

    test("a leading variable in the platform's own words", async () => {
      expect(errorOf(await withComponents(body("{{1}} is here", "x")))).toEqual(
        data("sandbox-templates-calls", "a leading variable in the platform's own words"),
      );
    });
  });

  test.each(data<[string, unknown[]][]>("sandbox-templates-calls", "taken:"))("taken: %s", async (_case, components) => {
    const answer = await withComponents(...components);
    expect(answer.text).toContain('"PENDING"');
  });

  describe("names", () => {
    test("of many at once for one name and language one is taken", async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(async () => create({ ...orderTemplate, name: "raced" })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400).map((answer) => errorOf(answer)["error_subcode"])).toEqual([
        2388024, 2388024, 2388024,
      ]);
    });

    test("name and language taken: 2388024; another language of the same category is fine", async () => {
      await addTemplate(sandbox, { ...orderTemplate, name: "names" });
      expect(errorOf(await create({ ...orderTemplate, name: "names" }))["error_subcode"]).toBe(2388024);
      expect((await create({ ...orderTemplate, name: "names", language: "de" })).status).toBe(200);
      expect(errorOf(await create({ ...orderTemplate, name: "names", language: "fr", category: "MARKETING" }))["error_user_msg"]).toBe(
        "The category MARKETING doesn't match the one that's already associated with this template, UTILITY.",
      );
    });

    test("the platform's own are reserved", async () => {
      expect(errorOf(await create({ ...orderTemplate, name: "sample_order" }))["error_user_title"]).toBe("Invalid template name");
    });
  });

  test("the account's limit: 2388019", async () => {
    let answer = await withComponents(plain);
    for (let i = 0; answer.status === 200 && i < 50; i += 1) answer = await withComponents(plain);
    expect(errorOf(answer)["error_subcode"]).toBe(2388019);
  });

  test("another account's business account is unknown", async () => {
    const { wabaId } = await sandbox.openAccount();
    expect(errorOf(await sandbox.call("POST", `/${wabaId}/message_templates`, orderTemplate))["error_subcode"]).toBe(33);
  });
});
