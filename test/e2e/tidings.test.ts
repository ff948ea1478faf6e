import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDocsBundle } from "shared/docs/bundle";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminClient } from "../support/admin.ts";
import { type KeepingWorld, openKeepingWorld } from "../support/keeping.ts";
import { startProcess } from "../support/process.ts";
import { startReceiver } from "../support/receiver.ts";
import { runHere } from "../support/run-here.ts";
import { waitFor } from "../support/wait-for.ts";

let world: KeepingWorld;
let home: string;
let token: string;
beforeAll(async () => {
  world = await openKeepingWorld();
  home = await mkdtemp(join(tmpdir(), "tidings-home-"));
  token = await tokenOf(world.owner);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const tokenOf = async (client: AdminClient) => (await client.tokens.create.mutate({ name: "Command", role: "owner" })).token;

interface Way {
  env?: Record<string, string>;
  input?: string;
  /** Acts once the output has the text. */
  when?: [text: string, act: () => unknown];
  /** Ends the command by Ctrl-C once its output has the text. */
  until?: string;
}

interface Done {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the command with an environment of its own: as it is built, in a process of its own, where Ctrl-C ends it, else in this one. */
async function tidings(args: string[], { env = {}, input, when, until }: Way = {}): Promise<Done> {
  if (until === undefined) {
    const { code, stdout, stderr } = await runHere("admin-server/src/tidings/main.ts", args, { HOME: home, ...env }, input);
    return { code, out: stdout, err: stderr };
  }
  await using child = startProcess([process.execPath, "admin-server/dist/tidings/main.js", ...args], { env: { HOME: home, ...env } });
  for (const [text, act] of [...(when === undefined ? [] : [when]), [until, () => void child.kill("SIGINT")] as const]) {
    await waitFor(text, () => child.stdout().includes(text) || !child.isRunning());
    act();
  }
  const { code } = await child.ended;
  return { code, out: child.stdout(), err: child.stderr() };
}

const json = <T>({ out }: Done): T => JSON.parse(out) as T;
const file = async (text: string): Promise<string> => {
  const path = join(home, "setup.yaml");
  await writeFile(path, text);
  return path;
};

describe("the command", () => {
  it.each([...readDocsBundle().matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text]) => text ?? ""))(
    "takes a file as the documentation shows it: %#",
    async (text) => {
      expect(await tidings(["check", await file(text)])).toMatchObject({ code: 0, err: "" });
    },
  );

  it("proves a token, keeps it for its owner alone and never shows it", async () => {
    const login = ["login", "--url", world.admin.url, "--token"];
    const wrong = await tidings([...login, "tdg_wrong"]);
    expect([wrong.code, (await tidings(["log"])).code]).toEqual([1, 2]);
    const right = await tidings([...login, token]);
    expect(right).toMatchObject({ code: 0, err: "" });
    const kept = join(home, ".config/tidings/login.json");
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    expect(await readFile(kept, "utf8")).toContain(token);
    expect(right.out + wrong.err + wrong.out).not.toMatch(/tdg_/);
    expect((await tidings(["log", "--limit", "none"])).code).toBe(2);
    for (const args of [
      ["send", "--json"],
      ["bogus", "--json"],
    ])
      expect(json<object>(await tidings(args))).toMatchObject({ error: { code: "WRONG_USAGE" } });
    for (const env of [{ TIDINGS_URL: "127.0.0.1:4001" }, { TIDINGS_TOKEN: "tdg_a\ntdg_b" }]) {
      const used = await tidings(["log", "--json"], { env: { TIDINGS_URL: world.admin.url, TIDINGS_TOKEN: token, ...env } });
      expect([used.code, json<object>(used)]).toMatchObject([2, { error: { code: "WRONG_USAGE" } }]);
      expect(used.out + used.err).not.toMatch(/tdg_/);
    }
    const elsewhere = { TIDINGS_URL: "http://127.0.0.1:9" };
    expect((await tidings(["log"], { env: elsewhere })).code).toBe(2);
    expect((await tidings(["log"], { env: { ...elsewhere, TIDINGS_TOKEN: token } })).code).toBe(1);
  });

  it("sends, follows, lists and explains an event, and sends a message again", async () => {
    const made = await world.owner.sites.create.mutate({ name: "Command", url: "https://command.example", sourceType: "generic" });
    const [template] = (await world.owner.templates.list.query({ status: "approved", search: "order_created" })).items;
    const recipient = { strategy: "customer" as const };
    const variableMap = {
      body: Object.fromEntries([1, 2, 3].slice(0, template?.slots.body).map((slot) => [slot, { source: "static" as const, value: "x" }])),
    };
    await world.owner.bindings.create.mutate({
      siteId: made.site.id,
      event: "order.created",
      templateId: template?.id ?? "",
      recipient,
      variableMap,
    });
    const env = { TIDINGS_SITE_KEY: made.apiKey, TIDINGS_WEBHOOK_SECRET: made.webhookSecret };
    const input = JSON.stringify({ customer: { phone_e164: "+491701112233", first_name: "Ada\u001b[31m" } });
    const dry = await tidings(["send", "-", "--event", "order.created", "--dry-run", "--json"], { env, input });
    expect(json<object>(dry)).toMatchObject({ dry_run: true, chat: "sent" });
    const sent = await tidings(["send", "-", "--event", "order.created", "--id", "order-1", "--json"], { env, input });
    const { event_id: id } = json<{ event_id: string }>(sent);
    expect([
      sent.code,
      json<object>(await tidings(["send", "-", "--event", "order.created", "--id", "order-1", "--json"], { env, input })),
    ]).toMatchObject([0, { event_id: id }]);
    expect(await tidings(["send", "-", "--event", "order.created", "--secret", "wrong"], { env, input })).toMatchObject({
      code: 1,
      out: "",
    });
    expect(await tidings(["send", join(home, "none.json"), "--event", "order.created"], { env })).toMatchObject({ code: 2 });
    expect(await tidings(["tail", "--site", "Command", "--json"], { until: id })).toMatchObject({ code: 0 });
    const [line = "", ...more] = (await tidings(["log", "--site", made.site.id, "--json"])).out.trim().split("\n");
    expect([JSON.parse(line), more]).toMatchObject([{ eventId: id, toPhone: "+491701112233" }, []]);
    expect(await tidings(["explain", id])).toMatchObject({ code: 0, out: expect.stringContaining("+491701112233") });
    expect(await tidings(["explain", made.site.id])).toMatchObject({ code: 1, out: "" });
    const message = (JSON.parse(line) as { id: string }).id;
    expect(await tidings(["resend", message, "--json"])).toMatchObject({ code: 1, out: expect.stringContaining('"CONFLICT"') });
    const failing = JSON.stringify({ customer: { phone_e164: "+15550101026" } });
    await tidings(["send", "-", "--event", "order.created"], { env, input: failing });
    await world.settled();
    const [failed = ""] = (await tidings(["log", "--status", "failed", "--phone", "+15550101026", "--json"])).out.split("\n");
    const { id: failedId } = JSON.parse(failed) as { id: string };
    expect(json<object>(await tidings(["resend", failedId, "--json"]))).toMatchObject({ notification: { resendOf: failedId } });
  });

  it("plans what a file's bindings would have sent, sends nothing and tells a viewer no phone", async () => {
    const whole = (await tidings(["export", "--site", "Command"])).out;
    const plan = async (text: string, ...args: string[]) => tidings(["plan", await file(text), "--against", "7d", ...args]);
    expect(json<object>(await plan(whole, "--json"))).toMatchObject({ events: 2, messages: { same: 2, changed: 0, added: 0, removed: 0 } });
    const other = whole.replace("value: x", "value: y");
    const changed = await plan(other);
    expect([changed.code, changed.out]).toEqual([
      0,
      expect.stringMatching(/^Command, 2 events: 0 messages as now, 2 changed, 0 added, 0 removed\.\n~ .*\+491701112233/),
    ]);
    const moved = whole.replace("event: order.created", "event: order.gone");
    expect(json<object>(await plan(moved, "--json"))).toMatchObject({ messages: { same: 2, removed: 0 } });
    expect(json<object>(await plan(moved, "--prune", "--json"))).toMatchObject({ messages: { same: 0, removed: 2 } });
    const env = {
      TIDINGS_URL: world.admin.url,
      TIDINGS_TOKEN: (await world.owner.tokens.create.mutate({ name: "V", role: "viewer" })).token,
    };
    const seen = await tidings(["plan", await file(other), "--json"], { env });
    expect(json<object>(seen)).toMatchObject({ messages: { changed: 2 }, samples: [{ before: { phone: "•••33" } }, {}] });
    expect(seen.out).not.toMatch(/1701112233/);
    const unknown = await plan(whole.replace("template: order_created", "template: order_unknown"));
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringMatching(/setup\.yaml:\d+: .*order_unknown \(\w+\) is in neither/)]);
    expect((await plan(whole, "--against", "seven")).code).toBe(2);
    expect((await world.owner.notifications.list.query({ phone: "+491701112233" })).items).toHaveLength(1);
  });

  it("writes types of what events held", async () => {
    const types = (language: string, ...more: string[]) => tidings(["types", "--site", "Command", "--language", language, ...more]);
    expect((await types("typescript")).out).toMatch(/export interface OrderCreated \{\n {2}customer\?: \{\n {4}first_name\?: string;/);
    const schema = JSON.parse(json<{ text: string }>(await types("json-schema", "--json")).text) as { $defs: Record<string, object> };
    expect(schema).toMatchObject({
      $defs: { "order.created": { properties: { customer: { properties: { phone_e164: { type: "string" } } } } } },
    });
    expect((await types("go")).out + (await types("python")).out).not.toMatch(/Ada|1701112233/);
    expect((await types("cobol")).code).toBe(2);
  });

  it("posts webhooks of a site without endpoints to an address, signed, and sends examples again when they change", async () => {
    const site = await world.owner.sites.create.mutate({ name: "Listened", url: "https://listened.example", sourceType: "generic" });
    const [binding] = (await world.owner.bindings.list.query({ event: "order.created" })).items;
    await world.owner.bindings.changeMany.mutate({ action: "copy", ids: [binding?.id ?? ""], siteId: site.site.id });
    await using server = await startReceiver();
    const got = server.received;
    const env = { TIDINGS_SITE_KEY: site.apiKey, TIDINGS_WEBHOOK_SECRET: site.webhookSecret };
    const to = ["--site", "Listened", "--forward-to", server.url];
    const example = (phone: string) => JSON.stringify({ customer: { phone_e164: phone } });
    const send = () => tidings(["send", "-", "--event", "order.created"], { env, input: example("+491701112244") });
    const listened = await tidings(["listen", ...to, "--json"], { when: ["listening", send], until: "message.delivered" });
    expect(listened).toMatchObject({ code: 0, err: "" });
    const [first, ...lines] = listened.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const { secret } = (first as { listening: { secret: string } }).listening;
    expect(lines.slice(0, 2)).toMatchObject(
      got.slice(0, 2).map(({ headers }) => ({ id: headers["webhook-id"], status: 204, error: null })),
    );
    expect(got.slice(0, 2).map((one) => one.json["type"])).toEqual(["message.sent", "message.delivered"]);
    expect(got[0]?.json).toMatchObject({ site_id: site.site.id, to_phone: "+491701112244", status: "sent" });
    for (const { headers, body } of got) {
      const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
      const signature = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
        .update(signed)
        .digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
    }
    const folder = await mkdtemp(join(home, "examples-"));
    const write = (phone: string) => writeFile(join(folder, "order.created.json"), example(phone));
    expect((await tidings(["dev", folder, ...to], { env })).code).toBe(2);
    await write("+491701112255");
    const ran = await tidings(["dev", folder, ...to], {
      env: { ...env, TIDINGS_SIGNING_SECRET: secret },
      when: ["message.sent  +491701112255", () => write("+491701112266")],
      until: "message.sent  +491701112266",
    });
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect((await tidings(["listen", "--site", "Listened", "--forward-to", "nowhere"])).code).toBe(2);
    expect((await world.owner.webhooks.list.query({ siteId: site.site.id })).items).toEqual([]);
    await world.owner.sites.delete.mutate({ id: site.site.id });
  });

  it("writes the same bytes again, without secrets and ids, and applying them changes nothing", async () => {
    const [first, again] = [await tidings(["export"]), await tidings(["export"])];
    expect(first).toEqual(again);
    expect(first.out).not.toMatch(/sk_live_|whs_|whsec_|tdg_|[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const path = await file(first.out);
    expect(await tidings(["check", path])).toMatchObject({ code: 0 });
    expect(await tidings(["diff", path, "--exit-code"])).toEqual({ code: 0, out: "Nothing differs.\n", err: "" });
    expect(json<object>(await tidings(["apply", path, "--prune", "--json"]))).toMatchObject({ applied: false, changes: [], besides: [] });
  });

  it("makes the same set-up in an empty account, and tells the secrets of its sites once", async () => {
    const whole = (await tidings(["export"])).out;
    const other = await world.admin.signUp();
    const env = { TIDINGS_URL: world.admin.url, TIDINGS_TOKEN: await tokenOf(other.client) };
    const path = await file(whole);
    const refused = await tidings(["apply", path], { env });
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/setup\.yaml:\d+: .*Is in neither the file nor the account/)]);
    expect((await other.client.sites.list.query()).items).toEqual([]);
    await other.client.templates.sync.mutate();
    for (const { name, language, category, body } of (await world.owner.templates.list.query()).items) {
      const [there] = (await other.client.templates.list.query({ search: name })).items.filter((each) => each.language === language);
      const examples = { body: ["a", "b", "c"].slice(0, (body.match(/\{\{/g) ?? []).length) };
      if (there === undefined) await other.client.templates.create.mutate({ name, language, category, body, examples });
    }
    const dry = json<{ changes: object[]; secrets: object[] }>(await tidings(["apply", path, "--dry-run", "--json"], { env }));
    expect([dry.changes.length > 3, dry.secrets, (await other.client.sites.list.query()).items]).toEqual([true, [], []]);
    const applied = await tidings(["apply", path, "--json"], { env });
    const { secrets, warnings } = json<{ secrets: { site: string; apiKey?: string }[]; warnings: { message: string }[] }>(applied);
    expect(secrets.filter(({ apiKey }) => apiKey?.startsWith("sk_live_")).length).toBe((await world.owner.sites.list.query()).items.length);
    expect(warnings.map(({ message }) => message).join()).toMatch(/draft/);
    expect((await other.client.audit.list.query({ action: "sites.create" })).items).toHaveLength(2);
    expect(await tidings(["diff", path, "--exit-code"], { env })).toMatchObject({ code: 0 });
    const drafts = /^templates:[\s\S]*?(?=^sites:)/m;
    expect((await tidings(["export"], { env })).out.replace(drafts, "")).toBe(whole.replace(drafts, ""));
  });

  it("changes only what differs, all of it or nothing, and removes only when it is told to", async () => {
    const whole = (await tidings(["export"])).out;
    const misspelt = await tidings(["check", await file(whole.replace("requireTimestamp: false", "requireTimestmp: false")), "--json"]);
    expect([misspelt.code, misspelt.out]).toEqual([1, expect.stringMatching(/setup\.yaml:\d+: sites\.0\.requireTimestmp/)]);
    for (const text of ["version: 1\nsites: [", "version: 1\nsites: *none"])
      expect(json<object>(await tidings(["check", await file(text), "--json"]))).toMatchObject({ error: { code: "BAD_REQUEST" } });
    const edited = whole.replace("timezone: UTC", "timezone: Europe/Berlin").replace("name: Command", "name: Another");
    const path = await file(edited);
    const plan = await tidings(["diff", path, "--exit-code"]);
    expect([plan.code, plan.out]).toEqual([
      1,
      expect.stringMatching(/~ settings settings: timezone "UTC" → "Europe\/Berlin"\n\+ site Another: is not there yet/),
    ]);
    expect(plan.out).toContain("--prune removes them: ");
    // Two bindings of one event and template are told apart.
    const binding = /^( +)- event: [\s\S]*?(?=^\1- |^ {0,4}\S|(?![\s\S]))/m.exec(edited)?.[0] ?? "";
    const twins = await tidings([
      "diff",
      await file(edited.replace(binding, `${binding}${binding.replace(/strategy: \w+/, "strategy: test")}`)),
    ]);
    expect(twins.out).toMatch(/\+ binding .* → .*, recipient test/);
    // The last step is refused: nothing of it has happened.
    const broken = edited.replace('"1":', '"99":');
    expect(await tidings(["apply", await file(broken)])).toMatchObject({ code: 1, err: expect.stringMatching(/setup\.yaml:\d+: .*99/) });
    expect((await world.owner.settings.get.query()).timezone).toBe("UTC");
    expect((await world.owner.sites.list.query({ search: "Another" })).items).toEqual([]);
    expect((await tidings(["apply", await file(edited), "--prune"])).code).toBe(0);
    const sites = (await world.owner.sites.list.query()).items.map(({ name }) => name);
    expect([sites.includes("Another"), sites.includes("Command"), (await world.owner.settings.get.query()).timezone]).toEqual([
      true,
      false,
      "Europe/Berlin",
    ]);
    expect(await tidings(["apply", await file(edited), "--prune"])).toMatchObject({ code: 0, out: "Nothing differs.\n" });
  });

  it("promotes one site to another, which keeps what is its own", async () => {
    const target = await world.owner.sites.create.mutate({
      name: "Live",
      url: "https://live.example",
      sourceType: "generic",
      testPhone: "+491700000099",
    });
    const promote = ["promote", "--from", "Another", "--to", "Live"];
    expect(json<object>(await tidings([...promote, "--dry-run", "--json"]))).toMatchObject({
      applied: false,
      changes: [{ action: "create", kind: "binding", site: "Live" }],
    });
    expect((await tidings(promote)).code).toBe(0);
    const { site } = await world.owner.sites.get.query({ id: target.site.id });
    expect([site.url, site.testPhone, site.apiKeyHint]).toEqual(["https://live.example", "+491700000099", target.site.apiKeyHint]);
    expect((await world.owner.bindings.list.query({ siteId: site.id })).items).toHaveLength(1);
    expect(await tidings(promote)).toMatchObject({ code: 0, out: "Nothing differs.\n" });
    expect((await tidings(["promote", "--from", "Live", "--to", "Live"])).code).toBe(2);
    const elsewhere = [...promote, "--prune", "--to-url", world.admin.url];
    expect((await tidings(elsewhere)).code).toBe(2);
    expect((await tidings(elsewhere, { env: { TIDINGS_TO_TOKEN: "none" } })).code).toBe(1);
    expect(await tidings(elsewhere, { env: { TIDINGS_TO_TOKEN: token } })).toMatchObject({ code: 0, out: "Nothing differs.\n" });

    // Another account gets the draft that the binding needs, by the procedure that the dashboard calls; then the command has nothing to do.
    const named = { name: "promoted_draft", language: "en", category: "UTILITY" as const };
    const { template } = await world.owner.templates.create.mutate({ ...named, body: "Thank you for your order." });
    const binding = { event: "order.drafted", recipient: { strategy: "customer" as const }, variableMap: {}, enabled: false };
    const made = await world.owner.sites.create.mutate({ name: "Drafted", url: "https://live.example", sourceType: "generic" });
    await world.owner.bindings.create.mutate({ ...binding, siteId: made.site.id, templateId: template.id });
    const other = await world.admin.signUp();
    await other.client.sites.create.mutate({ name: "Theirs", url: "https://theirs.example", sourceType: "generic" });
    const theirs = await tokenOf(other.client);
    const copy = { siteId: made.site.id, to: { url: world.admin.url, token: theirs, site: "Theirs" } };
    const changes = [{ kind: "template" }, { kind: "binding", site: "Theirs", name: expect.stringContaining("order.drafted") }];
    expect(await world.owner.setup.copy.mutate(copy)).toMatchObject({ applied: false, changes, warnings: [{ site: "Theirs" }] });
    expect((await other.client.templates.list.query({ search: named.name })).items).toEqual([]);
    expect(await world.owner.setup.copy.mutate({ ...copy, apply: true })).toMatchObject({ applied: true, changes });
    expect((await other.client.templates.list.query({ search: named.name })).items).toMatchObject([{ ...named, status: "draft" }]);
    expect((await other.client.bindings.list.query()).items).toMatchObject([
      { event: binding.event, template: named.name, enabled: false },
    ]);
    const again = ["promote", "--from", "Drafted", "--to", "Theirs", "--to-url", world.admin.url];
    expect(await tidings(again, { env: { TIDINGS_TO_TOKEN: theirs } })).toMatchObject({ code: 0, out: "Nothing differs.\n" });
    expect((await world.owner.audit.list.query({ action: "setup.copy" })).items.map(({ subject }) => subject)).toEqual([
      made.site.id,
      made.site.id,
    ]);
    expect((await other.client.audit.list.query({ action: "bindings.create" })).items).toHaveLength(1);

    // What changed since it was shown is shown again; a lost answer, and one of another program, are told as what they are.
    const { planned } = await world.owner.setup.copy.mutate(copy);
    await world.owner.recipients.add.mutate({ siteId: made.site.id, phone: "+491700000098" });
    await expect(world.owner.setup.copy.mutate({ ...copy, apply: true, planned })).rejects.toThrow("no longer what was shown");
    await using lossy = await startReceiver();
    lossy.script(({ path, headers: { authorization = "" }, body }, response) => {
      const headers = { authorization, "content-type": "application/json" };
      const call = fetch(`${world.admin.url}${path.replace("/hook", "")}`, { method: "POST", headers, body });
      if (path.startsWith("/hook/none")) response.end("{}");
      else void call.then(async (answer) => (path.endsWith("/update") ? response.destroy() : response.end(await answer.text())));
    });
    const by = (url: string) => world.owner.setup.copy.mutate({ ...copy, to: { ...copy.to, url }, apply: true });
    await expect(by(`${lossy.url}/none`)).rejects.toThrow("took nothing: Its answer has no sites");
    expect(await tidings(["login", "--url", `${lossy.url}/none`, "--token", token])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^An answer/),
    });
    await expect(by(lossy.url)).rejects.toThrow("It is not known whether");
    expect(await world.owner.setup.copy.mutate(copy)).toMatchObject({ changes: [] });
  });
});
