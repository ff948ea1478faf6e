import { expect, test, describe } from "vitest";
import { data } from "../../../test/support/data.ts";
import { answeringServer, type Reply } from "../../../test/support/platform.ts";
import { createPlatformClient, type PlatformCredentials } from "./client.ts";
import { testConnection } from "./connection-check.ts";

describe("account", () => {
  const plain: PlatformCredentials = { apiVersion: "v25.0", wabaId: "102", phoneNumberId: "106", accessToken: "EAAtoken" };
  const withApp: PlatformCredentials = { ...plain, appId: "777", appSecret: "s3cret" };

  const scopes = ["whatsapp_business_messaging", "whatsapp_business_management"];
  const token = {
    is_valid: true,
    app_id: "777",
    type: "SYSTEM_USER",
    expires_at: 0,
    scopes,
    granular_scopes: scopes.map((scope) => ({ scope })),
  };
  const number = {
    id: "106",
    display_phone_number: "+49 30 123456",
    verified_name: "Beispiel-Shop",
    status: "CONNECTED",
    health_status: { can_send_message: "AVAILABLE" },
  };

  /** Answers of a healthy platform, by path below the version. */
  const good: Record<string, Reply> = {
    debug_token: { json: { data: token } },
    "106": { json: number },
    "102": { json: { id: "102", name: "Shop", account_review_status: "APPROVED", health_status: { can_send_message: "LIMITED" } } },
    "102/phone_numbers": { json: { data: [{ id: "105" }, { id: "106" }] } },
    "102/message_templates": { json: { data: [] } },
    "102/subscribed_apps": { json: { data: [{ whatsapp_business_api_data: { id: "777", name: "App", link: "x" } }] } },
  };
  const refused = (code: number, more = {}): Reply => ({ status: 400, json: { error: { message: `(#${code}) No`, code, ...more } } });

  const callbacks = { url: "https://gateway.example/hook", lastAt: new Date("2026-11-26T10:00:00Z"), isSandbox: false };

  async function check(credentials: PlatformCredentials, change: Record<string, Reply | ((fields: boolean) => Reply)> = {}) {
    await using server = await answeringServer(({ path, query }) => {
      const reply = { ...good, ...change }[path.replace("/v25.0/", "")] ?? refused(100, { error_subcode: 33 });
      return typeof reply === "function" ? reply(query.has("fields")) : reply;
    });
    await using client = createPlatformClient({ baseUrl: server.url, timeoutMs: 5_000 });
    return { result: await testConnection(client, credentials, callbacks), seen: server.seen };
  }

  const healthy = { ok: true, phoneNumber: "+49 30 123456", verifiedName: "Beispiel-Shop" };

  test("a good connection shows number and name; without an app, what only the app may ask is left out", async () => {
    const { result, seen } = await check(plain);
    expect(result).toMatchObject(healthy);
    expect(seen.map(({ path }) => path)).toEqual(["/v25.0/106", "/v25.0/102", "/v25.0/102/phone_numbers", "/v25.0/102/message_templates"]);
    for (const { method, authorization } of seen) expect([method, authorization]).toEqual(["GET", "Bearer EAAtoken"]);
  });

  test("with an app its token is looked at, in the app's own name, and its subscription", async () => {
    const { result, seen } = await check(withApp);
    expect(result).toMatchObject(healthy);
    expect(seen[0]).toMatchObject({ path: "/v25.0/debug_token", authorization: "Bearer 777|s3cret" });
    expect(seen[0]?.query.get("input_token")).toBe("EAAtoken");
    expect(seen.at(-2)?.path).toBe("/v25.0/102/subscribed_apps");
    expect(seen.at(-1)).toMatchObject({ path: "/v25.0/777/subscriptions", authorization: "Bearer 777|s3cret" });
    expect(seen).toHaveLength(7);
  });

  const debug = (data: object): Record<string, Reply> => ({ debug_token: { json: { data: { ...token, ...data } } } });
  const blocked = {
    can_send_message: "BLOCKED",
    entities: [
      {
        entity_type: "WABA",
        can_send_message: "BLOCKED",
        errors: [{ error_code: 141000, error_description: "No payment method.", possible_solution: "Add one." }],
      },
    ],
  };

  test.each<[string, Record<string, Reply>, RegExp]>([
    ["an app secret that is wrong", { debug_token: refused(190) }, /^Check of the app secret failed\. WhatsApp does not know app 777/],
    ["a token that has ended", debug({ is_valid: false }), /access token failed\. .*Create a new one/],
    ["a token of another app", debug({ app_id: "778" }), /belongs to app 778, but the settings name app 777/],
    ["a token that may not manage", debug({ scopes: ["whatsapp_business_messaging"] }), /lacks whatsapp_business_management/],
    [
      "a token for another account",
      debug({ granular_scopes: [{ scope: scopes[0], target_ids: ["999"] }] }),
      /has no access to business account 102/,
    ],
    [
      "a wrong number id",
      { "106": refused(100, { error_subcode: 33 }) },
      /^Check of the phone number failed\. The phone number or business account id is wrong/,
    ],
    ["an id of something else", { "106": { json: { id: "106", name: "Shop" } } }, /not a phone number ID/],
    [
      "a number that is not connected",
      { "106": { json: { ...number, status: "DISCONNECTED" } } },
      /\+49 30 123456 is DISCONNECTED\. Register/,
    ],
    [
      "a number that is blocked",
      { "106": { json: { ...number, health_status: blocked } } },
      /phone number failed\. .*No payment method\. Add one\./,
    ],
    [
      "a number that is blocked without a word",
      { "106": { json: { ...number, health_status: { can_send_message: "BLOCKED" } } } },
      /Business Manager/,
    ],
    ["a wrong business account", { "102": refused(100, { error_subcode: 33 }) }, /^Check of the business account failed\./],
    ["a business account that was rejected", { "102": { json: { account_review_status: "REJECTED" } } }, /rejected the business account/],
    [
      "a business account that is blocked",
      { "102": { json: { health_status: blocked } } },
      /^Check of the business account failed\. .*No payment method/,
    ],
    [
      "a number of another account",
      { "102/phone_numbers": { json: { data: [{ id: "105" }] } } },
      /106 does not belong to business account 102/,
    ],
    ["no right to templates", { "102/message_templates": refused(200) }, /^Check of the template access failed\. .*Assign the account/],
    [
      "an app that is not subscribed",
      { "102/subscribed_apps": { json: { data: [] } } },
      /^Check of the status updates failed\. App 777 is not subscribed/,
    ],
    ["what is not the platform", { "106": { text: "<html>" } }, /not in the platform's words/],
  ])("%s is told, with what to do", async (_, change, error) => {
    const { result } = await check(withApp, change);
    expect(result.ok).toBe(false);
    expect(result.error).toMatch(error);
    expect(result.error).toMatch(/\.$|No$/);
  });

  test("what was found before the failure is shown all the same", async () => {
    const { result } = await check(plain, { "102": refused(200) });
    expect(result).toMatchObject({ ...healthy, ok: false });
  });

  test("fields that a version lacks are done without", async () => {
    const missing: Reply = {
      status: 400,
      json: { error: { code: 100, message: "(#100) Tried accessing nonexisting field (health_status)" } },
    };
    const short = { id: "106", display_phone_number: "+49 30 123456", verified_name: "Beispiel-Shop", quality_rating: "GREEN" };
    const { result } = await check(plain, {
      "106": (fields) => (fields ? missing : { json: short }),
      "102": (fields) => (fields ? missing : { json: { id: "102" } }),
    });
    expect(result).toMatchObject(healthy);
  });

  /** The number of `platform-2026.md`, 2.8. */
  const limited = {
    ...number,
    name_status: "AVAILABLE_WITHOUT_REVIEW",
    quality_rating: "YELLOW",
    throughput: { level: "STANDARD" },
    whatsapp_business_manager_messaging_limit: "TIER_250",
    webhook_configuration: {
      application: callbacks.url,
      whatsapp_business_account: `${callbacks.url}/`,
      phone_number: "https://third.example/hook",
    },
    health_status: {
      can_send_message: "LIMITED",
      entities: [
        { entity_type: "PHONE_NUMBER", can_send_message: "LIMITED", additional_info: ["Your display name has not been approved yet."] },
      ],
    },
  };
  const statesOf = (result: { checks: { check: string; state: string }[] }, state: string) =>
    result.checks.flatMap((each) => (each.state === state ? each.check : []));

  test("limits are warnings, an address that is not ours fails; of two addresses the more specific counts", async () => {
    const { result } = await check(withApp, { "106": { json: limited } });
    expect(result.health).toEqual(data("platform-connection-check", "limits are warnings, an address that is not ours fails of tw"));
    expect(statesOf(result, "warning")).toEqual(["phone number", "quality"]);
    expect(statesOf(result, "failed")).toEqual(["callback address"]);
    expect(result.error).toContain("https://third.example/hook instead of https://gateway.example/hook");
    const ours = { ...limited, webhook_configuration: { whatsapp_business_account: `${callbacks.url}/` } };
    expect((await check(withApp, { "106": { json: ours } })).result).toMatchObject({ ok: true, health: { override: `${callbacks.url}/` } });
  });

  test("what the token, the app and the callbacks lack is told beside what is good", async () => {
    const fields = [{ name: "messages", version: "v25.0" }];
    const { result } = await check(withApp, {
      ...debug({ type: "USER", expires_at: 1795600000 }),
      "777/subscriptions": { json: { data: [{ object: "whatsapp_business_account", fields, active: true }] } },
    });
    expect(result.ok).toBe(true);
    expect(statesOf(result, "warning")).toEqual(["token expiry", "subscribed fields"]);
    expect(result.checks.find((each) => each.check === "subscribed fields")?.reason).toMatch(
      /^Subscribe to user_preferences, .*account_update/,
    );
    const none = await check({ ...plain, appSecret: null });
    expect(statesOf(none.result, "warning")).toEqual(["app secret"]);
    expect(statesOf(none.result, "skipped")).toContain("status updates");
  });

  test("a number on a later page belongs to the account too", async () => {
    let page = 0;
    const { result } = await check(plain, {
      "102/phone_numbers": () =>
        page++ === 0
          ? { json: { data: [{ id: "1" }], paging: { cursors: { after: "a" }, next: "x" } } }
          : { json: { data: [{ id: "106" }] } },
    });
    expect(result).toMatchObject(healthy);
  });

  test("a platform that cannot be reached is told", async () => {
    await using client = createPlatformClient({ baseUrl: "http://127.0.0.1:1" });
    expect(await testConnection(client, plain)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^Check of the phone number failed\. The platform could not be reached: .*ECONNREFUSED/),
      failed: {
        check: "phone number",
        reason: expect.stringMatching(/^The platform could not be reached: .*ECONNREFUSED/),
        said: { text: "The platform could not be reached: {reason}.", values: { reason: expect.stringContaining("ECONNREFUSED") } },
      },
    });
  });
});
