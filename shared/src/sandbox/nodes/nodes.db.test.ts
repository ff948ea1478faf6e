import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { addTemplate, errorOf, openSandbox, verifyToken } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";

const sandbox = shared(async () => openSandbox());

const get = async (path: string, token?: string | null) => sandbox.call("GET", `/v25.0${path}`, undefined, token);
const appToken = () => `${sandbox.account.appId}|${sandbox.account.appSecret}`;

describe("the phone number", () => {
  test("usual fields", async () => {
    const { phoneNumberId, displayPhoneNumber } = sandbox.account;
    expect((await get(`/${phoneNumberId}`)).json).toEqual({
      id: phoneNumberId,
      display_phone_number: displayPhoneNumber,
      verified_name: "Shop",
      quality_rating: "GREEN",
    });
  });

  test("every field of a connection test", async () => {
    const fields =
      "id,display_phone_number,verified_name,quality_rating,code_verification_status,name_status,status,throughput,whatsapp_business_manager_messaging_limit,health_status{can_send_message,entities},webhook_configuration";
    expect((await get(`/${sandbox.account.phoneNumberId}?fields=${encodeURIComponent(fields)}`)).json).toMatchObject({
      status: "CONNECTED",
      health_status: {
        can_send_message: "AVAILABLE",
        entities: expect.arrayContaining([{ entity_type: "WABA", id: sandbox.account.wabaId, can_send_message: "AVAILABLE" }]),
      },
      webhook_configuration: { application: sandbox.receiver.url },
    });
  });

  test("no field that does not exist", async () => {
    expect(errorOf(await get(`/${sandbox.account.phoneNumberId}?fields=id,shoe_size`))).toMatchObject({
      code: 100,
      message: "(#100) Tried accessing nonexisting field (shoe_size) on node type (WhatsAppBusinessPhoneNumber)",
    });
  });
});

describe("the business account", () => {
  test("with the fields asked for", async () => {
    const fields =
      "id,name,timezone_id,account_review_status,business_verification_status,country,ownership_type,message_template_namespace";
    expect((await get(`/${sandbox.account.wabaId}?fields=${fields}`)).json).toMatchObject({
      id: sandbox.account.wabaId,
      account_review_status: "APPROVED",
    });
  });

  test("its phone numbers", async () => {
    expect((await get(`/${sandbox.account.wabaId}/phone_numbers`)).json).toMatchObject({ data: [{ id: sandbox.account.phoneNumberId }] });
  });

  test("another account's is unknown, and so is what does not exist", async () => {
    const other = await sandbox.openAccount();
    for (const id of [other.wabaId, other.phoneNumberId, "12345"]) {
      const answer = await get(`/${id}`);
      expect([answer.status, errorOf(answer)["type"], errorOf(answer)["error_subcode"]]).toEqual([400, "GraphMethodException", 33]);
    }
  });
});

test("a refused account is blocked for health, and its sends are refused until that ends", async () => {
  const { wabaId, phoneNumberId } = sandbox.account;
  const refuse = async (refuseCode: number | null) => sandbox.call("PATCH", `/_sandbox/accounts/${wabaId}`, { refuseCode }, null);
  const send = async () => sandbox.send("+491701234567", { name: "hello_world", language: { code: "en_US" } });
  await refuse(131042);
  expect(errorOf(await send())["code"]).toBe(131042);
  expect((await get(`/${phoneNumberId}?fields=health_status`)).json).toMatchObject({ health_status: { can_send_message: "BLOCKED" } });
  await refuse(190);
  expect([(await send()).status, errorOf(await send())]).toEqual([401, expect.objectContaining({ code: 190, error_subcode: 463 })]);
  await refuse(null);
  expect((await send()).status).toBe(200);
});

describe("debug_token", () => {
  test.each([
    ["itself", () => sandbox.account.accessToken],
    ["the app's", appToken],
  ])("asked with %s", async (_name, token) => {
    expect((await get(`/debug_token?input_token=${sandbox.account.accessToken}`, token())).json).toMatchObject({
      data: {
        app_id: sandbox.account.appId,
        type: "SYSTEM_USER",
        is_valid: true,
        expires_at: 0,
        scopes: ["whatsapp_business_management", "whatsapp_business_messaging"],
        granular_scopes: [{ target_ids: [sandbox.account.wabaId] }, {}],
      },
    });
  });

  test("of a token that is none", async () => {
    expect((await get("/debug_token?input_token=EAAnope")).json).toMatchObject({
      data: { is_valid: false, error: { code: 190 }, scopes: [] },
    });
  });

  test("asked with a wrong app secret", async () => {
    expect(errorOf(await get("/debug_token?input_token=x", `${sandbox.account.appId}|nope`))["code"]).toBe(190);
  });
});

describe("tokens", () => {
  test("in the query", async () => {
    expect((await get(`/${sandbox.account.wabaId}?access_token=${sandbox.account.accessToken}`, null)).status).toBe(200);
  });

  test("a proof is checked when it is given", async () => {
    const { accessToken, appSecret, wabaId } = sandbox.account;
    const proof = createHmac("sha256", appSecret).update(accessToken).digest("hex");
    expect((await get(`/${wabaId}?appsecret_proof=${proof}`)).status).toBe(200);
    expect(errorOf(await get(`/${wabaId}?appsecret_proof=${"0".repeat(64)}`))["code"]).toBe(100);
  });
});

describe("subscribed_apps", () => {
  const list = async () => (await get(`/${sandbox.account.wabaId}/subscribed_apps`)).json;

  test("the app is there, goes and comes back", async () => {
    const path = `/${sandbox.account.wabaId}/subscribed_apps`;
    expect(await list()).toMatchObject({ data: [{ whatsapp_business_api_data: { id: sandbox.account.appId } }] });
    expect((await sandbox.call("DELETE", path)).json).toEqual({ success: true });
    expect(await list()).toEqual({ data: [] });
    const address = { override_callback_uri: sandbox.receiver.url, verify_token: verifyToken };
    expect(errorOf(await sandbox.call("POST", path, address))["code"]).toBe(100);
    expect((await sandbox.call("POST", path)).json).toEqual({ success: true });
    expect((await sandbox.call("POST", path, address)).json).toEqual({ success: true });
    expect(await list()).toMatchObject({ data: [{}] });
  });
});

describe("subscriptions", () => {
  const subscribe = async (wishes: object) =>
    sandbox.call(
      "POST",
      `/v25.0/${sandbox.account.appId}/subscriptions`,
      { object: "whatsapp_business_account", fields: "messages", ...wishes },
      appToken(),
    );

  test("an address that echoes the challenge is taken", async () => {
    expect((await subscribe({ callback_url: sandbox.receiver.url, verify_token: verifyToken })).json).toEqual({ success: true });
  });

  test("one that does not is refused", async () => {
    expect(errorOf(await subscribe({ callback_url: sandbox.receiver.url, verify_token: "wrong" }))["code"]).toBe(2200);
  });
});

describe("uploads", () => {
  const begin = async (query: string) => sandbox.call("POST", `/v25.0/${sandbox.account.appId}/uploads?${query}`);

  test("a handle for the bytes, good as a template's example", async () => {
    const { id } = (await begin("file_name=a.png&file_length=5&file_type=image/png")).json as { id: string };
    expect(id).toMatch(/^upload:/);
    const answer = await sandbox.call("POST", `/v25.0/${id}`, Buffer.from("12345"));
    const { h } = answer.json as { h: string };
    expect(h).toMatch(/^4::/);
    const components = [
      { type: "HEADER", format: "IMAGE", example: { header_handle: [h] } },
      { type: "BODY", text: "It is here." },
    ];
    await addTemplate(sandbox, { name: "uploaded", language: "de", category: "UTILITY", components });
  });

  test("other bytes than announced are refused, and so are other types", async () => {
    const { id } = (await begin("file_length=6&file_type=image/png")).json as { id: string };
    expect((await sandbox.call("POST", `/${id}`, Buffer.from("12345"))).status).toBe(400);
    expect(errorOf(await begin("file_length=6&file_type=text/html"))["code"]).toBe(100);
    expect((await sandbox.call("POST", "/upload:nonsense", Buffer.from("1"))).status).toBe(400);
  });
});

test("management answers say how much is used", async () => {
  const { headers } = await get(`/${sandbox.account.wabaId}/message_templates`);
  expect(JSON.parse(headers["x-business-use-case-usage"]?.toString() ?? "")).toEqual({
    [sandbox.account.wabaId]: [expect.objectContaining({ type: "whatsapp", call_count: expect.any(Number) })],
  });
});

describe("media", () => {
  const upload = async (
    parts: string,
    contentType = "multipart/form-data; boundary=--limit",
    node = sandbox.account.phoneNumberId,
    query = "",
  ) => {
    const headers = { "content-type": contentType, authorization: `Bearer ${sandbox.account.accessToken}` };
    const response = await fetch(`${sandbox.url}/v25.0/${node}/media${query}`, { method: "POST", headers, body: parts });
    return { status: response.status, json: (await response.json()) as { id?: string; error?: { message: string } } };
  };
  const field = (name: string, value: string, more = ""): string =>
    `----limit\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const file = (type: string, bytes = "bytes"): string => field("file", bytes, `; filename="a"\r\nContent-Type: ${type}`);
  const product = field("messaging_product", "whatsapp");

  test("are answered with an id of digits, the same for the same file", async () => {
    const [one, again, other] = [
      await upload(`${product}${file("image/png")}----limit--`),
      await upload(`${product}${file("image/png")}----limit--`),
      await upload(`${product}${file("image/png", "x")}----limit--`),
    ];
    expect(one).toEqual({ status: 200, json: { id: expect.stringMatching(/^\d{16}$/) } });
    expect([again.json.id === one.json.id, other.json.id === one.json.id]).toEqual([true, false]);
  });

  test.each([
    ["no product", file("image/png"), /messaging_product/],
    ["no file", product, /parameter file/],
    ["a type that messages do not take", product + file("image/gif"), /image\/jpeg.*image\/gif/s],
    ["an empty file", product + file("image/png", ""), /1 to 5242880/],
    ["a file that is too large", product + file("image/png", "x".repeat(5_242_881)), /5242880/],
  ])("with %s are refused", async (_, parts, words) => {
    const { status, json } = await upload(`${parts}----limit--`);
    expect([status, json.error?.message]).toEqual([400, expect.stringMatching(words)]);
  });

  test("have to be multipart, and of the number", async () => {
    expect((await upload("{}", "application/json")).json.error?.message).toMatch(/multipart/);
    expect((await upload(`${product}${file("image/png")}----limit--`, undefined, "999")).status).toBe(400);
  });

  test("are told of and deleted by their id; the product may stand in the query", async () => {
    const { id = "" } = (await upload(`${file("image/png", "told")}----limit--`, undefined, undefined, "?messaging_product=whatsapp")).json;
    await sandbox.restart();
    const sha256 = createHash("sha256").update("told").digest("hex");
    const node = { messaging_product: "whatsapp", url: expect.stringMatching(/^https:/), mime_type: "image/png", sha256, file_size: 4, id };
    expect((await get(`/${id}?phone_number_id=${sandbox.account.phoneNumberId}`)).json).toEqual(node);
    const other = await sandbox.openAccount();
    expect((await get(`/${id}`, other.accessToken)).status).toBe(400);
    expect((await sandbox.call("DELETE", `/v25.0/${id}`)).json).toEqual({ success: true });
    expect([(await get(`/${id}`)).status, (await sandbox.call("DELETE", `/v25.0/${id}`)).status]).toEqual([400, 400]);
  });
});

describe("the number's own calls", () => {
  const at = (name: string) => `/v25.0/${sandbox.account.phoneNumberId}/${name}`;
  const product = { messaging_product: "whatsapp" };

  test("a number that is deregistered sends nothing until it is registered again", async () => {
    const send = async () => sandbox.send("+491701234567", { name: "hello_world", language: { code: "en_US" } });
    expect((await sandbox.call("POST", at("deregister"))).json).toEqual({ success: true });
    expect([errorOf(await send())["code"], (await get(`/${sandbox.account.phoneNumberId}?fields=status`)).json]).toMatchObject([
      133010,
      { status: "DISCONNECTED" },
    ]);
    expect(errorOf(await sandbox.call("POST", at("register"), { ...product, pin: "12" }))["code"]).toBe(100);
    await sandbox.call("POST", at("register"), { ...product, pin: "123456" });
    expect((await send()).status).toBe(200);
  });

  test("`messages` go where the number's webhook_configuration says", async () => {
    const configure = async (uri: string) =>
      sandbox.call("POST", `/v25.0/${sandbox.account.phoneNumberId}`, {
        webhook_configuration: { override_callback_uri: uri, verify_token: "t" },
      });
    const read = async () => (await get(`/${sandbox.account.phoneNumberId}?fields=webhook_configuration`)).json;
    await configure("https://third.example/hook");
    expect(await read()).toMatchObject({ webhook_configuration: { phone_number: "https://third.example/hook" } });
    await configure("");
    expect(await read()).toMatchObject({ webhook_configuration: { application: sandbox.receiver.url } });
  });
});

test("a form is read like JSON, and the query fills in what the body leaves out", async () => {
  const template = { name: "hello_world", language: { code: "en_US" } };
  const form = new URLSearchParams({ to: "+491701234567", type: "template", template: JSON.stringify(template) });
  const url = `${sandbox.url}/v25.0/${sandbox.account.phoneNumberId}/messages?messaging_product=whatsapp&access_token=${sandbox.account.accessToken}`;
  const response = await fetch(url, { method: "POST", body: form });
  expect([response.status, await response.json()]).toMatchObject([200, { contacts: [{ input: "+491701234567" }] }]);
  const broken = await fetch(url, { method: "POST", body: new URLSearchParams({ template: "{" }) });
  expect(broken.status).toBe(400);
});
