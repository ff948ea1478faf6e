import fc from "fast-check";
import { expect, test } from "vitest";
import { hostileJson, hostileText } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { answeringServer, type Reply, type SeenRequest } from "../../../test/support/platform.ts";
import { printJson } from "../core/json.ts";
import type { TemplateDefinition } from "../core/template/definition.ts";
import { createPlatformClient, type PlatformClient, PlatformError } from "./client.ts";
import { editTemplate, createTemplate, deleteTemplate, listTemplates } from "./templates.ts";

const credentials = { apiVersion: "v25.0", wabaId: "102", phoneNumberId: "106", accessToken: "EAAtoken" };
const item = (id: number, more = {}) => ({
  id: String(id),
  name: `t${id}`,
  language: "de",
  status: "APPROVED",
  category: "UTILITY",
  components: [],
  ...more,
});
const items = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => item(from + index));
const refused = (code: number, more = {}): Reply => ({ status: 400, json: { error: { message: `(#${code}) No`, code, ...more } } });

async function withPlatform<T>(reply: (request: SeenRequest, index: number) => Reply, act: (client: PlatformClient) => Promise<T>) {
  await using server = await answeringServer(reply);
  await using client = createPlatformClient({ baseUrl: server.url, timeoutMs: 5_000 });
  const result = await act(client).catch((error: unknown) => error);
  return { result, seen: server.seen };
}

const list = (reply: (request: SeenRequest, index: number) => Reply) =>
  withPlatform(reply, async (client) => {
    const names: string[] = [];
    for await (const template of listTemplates(client, credentials)) names.push(template.name);
    return names;
  });

test("all pages are read, a hundred at a time, until there is no next", async () => {
  const { result, seen } = await list(({ query }) => {
    const from = Number(query.get("after") ?? 0);
    const to = Math.min(from + 100, 250);
    const paging = { cursors: { before: "x", after: String(to) }, ...(to < 250 && { next: "https://graph.facebook.com/…" }) };
    return { json: { data: items(from, to), paging } };
  });
  expect(result).toEqual(items(0, 250).map(({ name }) => name));
  expect(seen.map(({ query }) => [query.get("limit"), query.get("after")])).toEqual([
    ["100", null],
    ["100", "100"],
    ["100", "200"],
  ]);
  expect(seen[0]).toMatchObject({ method: "GET", path: "/v25.0/102/message_templates", authorization: "Bearer EAAtoken" });
  expect(seen[0]?.query.get("fields")).toContain("rejected_reason");
});

test("a page that is full is followed even without a next, one that is short is not", async () => {
  const { result } = await list(({ query }) => {
    const from = Number(query.get("after") ?? 0);
    return { json: { data: items(from, Math.min(from + 100, 130)), paging: { cursors: { after: String(from + 100) } } } };
  });
  expect(result).toHaveLength(130);
});

test.each([{}, [], { data: null }, { data: {} }])("an answer that is no list is not taken for an empty one: %j", async (json) => {
  expect((await list(() => ({ json }))).result).toBeInstanceOf(PlatformError);
});

test("a cursor that goes round in a circle ends the list with what was seen", async () => {
  const { result, seen } = await list(() => ({ json: { data: items(0, 2), paging: { cursors: { after: "a" }, next: "x" } } }));
  expect(result).toBeInstanceOf(PlatformError);
  expect((result as PlatformError).message).toContain('4 entries came on 2 pages, and the cursor "a" came a second time');
  expect(seen).toHaveLength(2);
  const circle = (index: number): Reply => ({ json: { data: [item(index)], paging: { cursors: { after: "abc"[index % 3] }, next: "x" } } });
  const { result: longer } = await list((_, index) => circle(index));
  expect((longer as PlatformError).message).toContain('4 entries came on 4 pages, and the cursor "a" came');
});

test.each([
  ["full pages", 100, "10000 entries came on 100 pages", 100],
  ["pages without an entry", 0, "0 entries came on 1000 pages", 1000],
])("a list of ever more %s is given up", async (_, size, message, calls) => {
  const { result, seen } = await list((__, index) => ({
    json: { data: items(index * size, (index + 1) * size), paging: { cursors: { after: `c${index}` }, next: "x" } },
  }));
  expect(result).toBeInstanceOf(PlatformError);
  expect((result as PlatformError).message).toContain(`${message}, and there were more to come`);
  expect(seen).toHaveLength(calls);
});

test("a list of as many as there may be is read whole", async () => {
  const { result } = await list((_, index) => ({
    json: { data: items(index * 100, Math.min((index + 1) * 100, 9_999)), paging: { cursors: { after: `c${index}` } } },
  }));
  expect(result).toHaveLength(9_999);
});

test("a list that changes while it is read is read again, once, and gives each template once", async () => {
  const page = (from: number) => ({
    json: { data: items(from, from + 100), paging: { cursors: { after: String(from + 100) }, next: "x" } },
  });
  const changing = await list(({ query }, index) =>
    index === 1 ? refused(131059) : query.has("after") ? { json: { data: items(100, 103) } } : page(0),
  );
  expect(changing.result).toEqual(items(0, 103).map(({ name }) => name));
  expect(changing.seen.map(({ query }) => query.get("after"))).toEqual([null, "100", null, "100"]);
  const hopeless = await list(({ query }) => (query.has("after") ? refused(131059) : page(0)));
  expect(hopeless.result).toBeInstanceOf(PlatformError);
  expect(hopeless.seen.filter(({ query }) => !query.has("after"))).toHaveLength(2);
});

test("a version that lacks a field is asked for its default fields", async () => {
  const missing: Reply = {
    status: 400,
    json: { error: { code: 100, message: "(#100) Tried accessing nonexisting field (rejected_reason)" } },
  };
  const { result, seen } = await list(({ query }) => (query.has("fields") ? missing : { json: { data: [item(1)] } }));
  expect(result).toEqual(["t1"]);
  expect(seen.map(({ query }) => [query.get("fields")?.includes("message_send_ttl_seconds"), query.get("limit")])).toEqual([
    [true, "100"],
    [false, "100"],
    [undefined, "100"],
  ]);
});

test.each([
  ["a refusal", refused(190), "(#190) No", 1],
  ["a fault that stays", refused(2), "(#2) No", 3],
  ["what is not the platform", { text: "<html>" }, "HTTP 200", 1],
  ["an edge that is down", { status: 502, text: "<html>" }, "HTTP 502", 3],
  ["a redirect", { status: 302, json: {} }, "HTTP 302", 1],
])("%s ends the list with what it says", async (_, reply, message, calls) => {
  const { result, seen } = await list(() => reply);
  expect(result).toBeInstanceOf(PlatformError);
  expect((result as PlatformError).message).toContain(message);
  expect(seen).toHaveLength(calls);
});

test("a fault that passes is not noticed, items that are no templates are left out", async () => {
  const { result } = await list((_, index) =>
    index === 0 ? { status: 500, json: {} } : { json: { data: [null, {}, { id: "1" }, item(2)] } },
  );
  expect(result).toEqual(["t2"]);
});

const definition: TemplateDefinition = data("platform-templates", "definition");
const template = { name: "order_shipped", language: "de", category: "UTILITY", definition };
const answer = { id: "594425479261596", status: "PENDING", category: "MARKETING" };

test("a template is created as the platform documents it, and keeps the category that the platform gives", async () => {
  const { result, seen } = await withPlatform(
    () => ({ json: answer }),
    (client) => createTemplate(client, credentials, template),
  );
  expect(result).toEqual({ platformId: "594425479261596", status: "pending", category: "MARKETING" });
  expect(seen).toMatchObject([{ method: "POST", path: "/v25.0/102/message_templates" }]);
  expect(seen[0]?.body).toEqual({
    name: "order_shipped",
    language: "de",
    category: "UTILITY",
    parameter_format: "POSITIONAL",
    components: [{ type: "BODY", text: definition.body, example: { body_text: [["Ada"]] } }],
  });
});

test("a template that is refused says why in the platform's own words for people", async () => {
  const error = {
    message: "Invalid parameter",
    type: "OAuthException",
    code: 100,
    error_subcode: 2388299,
    is_transient: false,
    error_user_title: "Leading or trailing params not allowed",
    error_user_msg: "Variables can't be at the start or end of the template.",
  };
  const { result } = await withPlatform(
    () => ({ status: 400, json: { error } }),
    (client) => createTemplate(client, credentials, template),
  );
  expect(result).toBeInstanceOf(PlatformError);
  expect(result).toMatchObject({
    message: `Invalid parameter: ${error.error_user_msg}`,
    facts: { code: "100", class: "permanent", detail: error },
  });
});

test.each([
  ["a fault", { status: 500, json: { error: { code: 2, message: "(#2) No" } } }],
  ["an edge that is down", { status: 502, text: "<html>" }],
  ["an answer without an id", { json: { status: "PENDING" } }],
])("creating is not tried again after %s", async (_, reply) => {
  const { result, seen } = await withPlatform(
    () => reply,
    (client) => createTemplate(client, credentials, template),
  );
  expect(result).toBeInstanceOf(PlatformError);
  expect(seen).toHaveLength(1);
});

test("one language is deleted, by id and name", async () => {
  const remove = (client: PlatformClient) => deleteTemplate(client, credentials, "77", "order_shipped");
  const { result, seen } = await withPlatform(() => ({ json: { success: true } }), remove);
  expect(result).toBeUndefined();
  expect(seen).toMatchObject([{ method: "DELETE", path: "/v25.0/102/message_templates", body: undefined }]);
  expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({ hsm_id: "77", name: "order_shipped" });
  expect((await withPlatform(() => ({ json: { success: false } }), remove)).result).toBeInstanceOf(PlatformError);
});

test("a template is edited in place, with all its parts", async () => {
  const edit = (client: PlatformClient) => editTemplate(client, credentials, { platformId: "77", category: "UTILITY", definition });
  const { result, seen } = await withPlatform(() => ({ json: { success: true } }), edit);
  expect(result).toBeUndefined();
  expect(seen).toMatchObject([{ method: "POST", path: "/v25.0/77", body: { category: "UTILITY", components: [{ type: "BODY" }] } }]);
  expect((await withPlatform(() => ({ json: { success: false } }), edit)).result).toBeInstanceOf(PlatformError);
});

test("any JSON in the list is read without an error", { timeout: 60_000 }, async () => {
  let text = "";
  await using server = await answeringServer(() => ({ text }));
  await using client = createPlatformClient({ baseUrl: server.url });
  const listed = fc.record({ id: fc.nat(), name: hostileText, language: hostileText, components: hostileJson });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(hostileJson, listed), { maxLength: 5 }), async (data) => {
      text = printJson({ data });
      for await (const template of listTemplates(client, credentials)) expect(template.name).not.toBe("");
    }),
  );
});
