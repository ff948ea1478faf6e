import { execFile } from "node:child_process";
import { readdir, access } from "node:fs/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import { createAdminClient } from "admin-server/client";
import { connect } from "shared/db/connect";
import { expect, test, vi, describe } from "vitest";
import { openAdminOn, signedIn } from "../support/admin.ts";
import { data } from "../support/data.ts";
import { emptyDatabase, testDatabase } from "../support/database.ts";
import {
  finished,
  makePlace,
  npmStart,
  onTerminal,
  processesOf,
  runScript,
  startProcess,
  withDatabase,
  type Place,
  type RunningProcess,
} from "../support/process.ts";
import { runHere } from "../support/run-here.ts";
import { waitFor } from "../support/wait-for.ts";

describe("commands", () => {
  // The tests start everything several times, beside all other work of the machine.
  vi.setConfig({ testTimeout: 240_000 });

  test("reset-password over a folder without a database makes none", async () => {
    await using place = await makePlace();
    await using command = runScript("reset-password", place.env, ["ann@example.com"]);
    expect(await finished(command)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^DATA_DIR .* holds no database/) });
  });

  test("reset-password lets an owner in whose account demands an issuer that is gone, and says so", async () => {
    await using database = await testDatabase();
    await using admin = await openAdminOn(database.url);
    const { email, client } = await admin.signUp();
    await database.sql`update account set require_sso = true`;
    await expect(client.auth.me.query()).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
    const { code, stdout } = await runHere("admin-server/src/cli/reset-password.ts", [email], withDatabase(database));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('The account "Shop" no longer demands the company\'s sign-in'),
    });
    const [, password = ""] = /The new password of \S+ is: (\S+)/.exec(stdout) ?? [];
    const { token } = await signedIn(admin.client().auth.login.mutate({ email, password }));
    const [entry] = (await admin.client(token).audit.list.query({ action: "auth.resetPassword" })).items;
    expect(entry?.changes).toContainEqual({ member: "requireSso", kept: "values", before: true, after: false });
  });

  test("an admin server alone prints the code of a first sign-up from another machine, until somebody has an account; commands let them in again, and tell the audit", async () => {
    await using database = await emptyDatabase();
    const env = { ...withDatabase(database), ADMIN_PORT: "0", TRUST_PROXY: "1" };
    await finished(runScript("migrate", env));
    await using server = runScript("admin-server", env);
    await waitFor("the setup code", () => server.stdout().includes("first sign-up") || !server.isRunning(), 120_000);
    const [, url = ""] = /"url":"([^"]+)"/.exec(server.stdout()) ?? [];
    const [, setupCode = ""] = /"code":"([0-9a-f]{12})"/.exec(server.stdout()) ?? [];
    const signUp = async (code: string): Promise<number> => {
      const body = JSON.stringify({ accountName: "Shop", email: "ann@shop.example", password: "correct horse staple", setupCode: code });
      const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" };
      return (await fetch(`${url}/trpc/auth.signUp`, { method: "POST", headers, body })).status;
    };
    expect(await signUp("000000000000")).toBe(403);
    expect(await signUp(setupCode)).toBe(200);

    const sql = connect(database.url, { max: 1 });
    expect(await sql`select password_hash from app_user`).toEqual([
      { password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) },
    ]);
    const call = async (path: string, input: unknown, token = "") => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.9" };
      const answer = await fetch(`${url}/trpc/${path}`, { method: "POST", headers, body: JSON.stringify(input) });
      return (await answer.json()) as { result?: { data: { token: string; items: unknown[] } } };
    };
    const { result } = await call("auth.login", { email: "ann@shop.example", password: "correct horse staple" });
    const isIn = async () => (await call("sites.list", {}, result?.data.token)).result !== undefined;
    await sql`update account set dashboard_addresses = '{10.0.0.0/8}', token_addresses = '{10.0.0.0/8}'`;
    expect(await isIn()).toBe(false);
    const clear = async (email: string) => runHere("admin-server/src/cli/allow-addresses.ts", ["--clear", email], env);
    expect(await clear("bob@shop.example")).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^bob@shop\.example owns no account here/),
    });
    expect(await clear("Ann@shop.example")).toMatchObject({ code: 0, stdout: expect.stringMatching(/is open from everywhere again/) });
    expect(await isIn()).toBe(true);
    expect(await sql`select token_addresses from account`).toEqual([{ token_addresses: "{10.0.0.0/8}" }]);
    const audit = await call("audit.list", { actor: "npm run allow-addresses" }, result?.data.token);
    expect(audit.result?.data.items).toMatchObject([{ changes: [{ member: "dashboardAddresses", before: "{10.0.0.0/8}", after: "{}" }] }]);

    const [account] = await sql<[{ id: string }]>`select id from account`;
    const log = async (...args: string[]) => runHere("admin-server/src/cli/audit.ts", args, env);
    const whole = await log();
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    const actions = whole.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { action: string }).action);
    expect(actions).toEqual(["auth.signUp", "auth.login", "settings.update"]);
    expect((await log("--since", `${account.id}=2`)).stdout).toBe(whole.stdout.split("\n").slice(2).join("\n"));
    expect(await log("--account", account.id, "--since", "4")).toMatchObject({ code: 78, stderr: expect.stringContaining("older backup") });
    expect(await log("--since", "1")).toMatchObject({ code: 78, stdout: "" });

    // A start by systemd or the like, with a reader of its output.
    await using place = await makePlace();
    const state = `${place.dataDir}.audit`;
    await using following = runScript("audit", env, ["--follow", "--format", "syslog", "--state", state]);
    const told = () => following.stdout().split("\n").length - 1;
    await waitFor("what there is", () => told() === 3);
    await call("settings.renameAccount", { name: "Renamed" }, result?.data.token);
    await waitFor("what comes", () => told() === 4);
    expect(await following.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(following.stdout()).toMatch(/^<109>1 \S+ \S+ tidings - settings\.renameAccount \[tidings@32473 account="[^"]+" seq="4" /m);
    expect(await log("--state", state)).toMatchObject({ code: 0, stdout: "" });
    await using unread = startProcess(["bash", "-c", `npm run --silent audit | true; exit "$\{PIPESTATUS[0]}"`], { env });
    expect(await finished(unread)).toMatchObject({ code: 0, stderr: "" });
    await sql.end();
    await server.kill("SIGTERM");

    await using again = runScript("admin-server", env);
    await waitFor("the second start", () => again.stdout().includes("listening") || !again.isRunning(), 120_000);
    expect(again.stdout()).not.toContain("first sign-up");
    await again.kill("SIGTERM");
  });
});

describe("try out", () => {
  // The tests start everything several times, beside all other work of the machine.
  vi.setConfig({ testTimeout: 240_000 });

  interface Message {
    to: string;
    text: string;
  }

  /** The paragraph with the first `curl `, cut out as a script would do it. */
  const pasteBlockOf = (stdout: string): string => stdout.split(/\n[ \t]*\n/).find((paragraph) => paragraph.includes("curl ")) ?? "";

  const email = "demo@example.com";
  const passwordIn = (text: string): string => /The new password of \S+ is: (\S+)/.exec(text)?.[1] ?? "";

  test("the printed block and a sample send a message, reset-password helps, and a second start finds everything", async () => {
    await using place = await makePlace();
    await using first = await npmStart(place.env, "/_sandbox/messages");
    const oldPassword = /Password +(\S+)/.exec(first.stdout())?.[1] ?? "";
    await sendByPrintedBlock(place, first);
    await sendBySample(place, first);

    // The command works while everything runs, and ends the user's sessions.
    const { auth } = createAdminClient({ url: place.admin });
    const { token } = await signedIn(auth.login.mutate({ email, password: oldPassword }));
    await using whileRunning = runScript("reset-password", place.env, ["Demo@Example.com"]);
    const reset = await finished(whileRunning);
    expect(reset).toMatchObject({ code: 0, stderr: "" });
    await expect(createAdminClient({ url: place.admin, token }).auth.me.query()).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
    await expect(auth.login.mutate({ email, password: oldPassword })).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
    const renewed = await signedIn(auth.login.mutate({ email, password: passwordIn(reset.stdout) }));
    const { audit } = createAdminClient({ url: place.admin, token: renewed.token });
    const { items } = await audit.list.query({ actor: "npm run reset-password" });
    expect(items).toMatchObject([{ action: "auth.resetPassword", subject: renewed.user.id, actorId: null, address: null }]);

    await using verified = runScript("verify-audit", place.env);
    const { stdout, stderr } = await finished(verified);
    expect(stderr).toBe("");
    const [, account, head] = /^account (\S+): \d+ entries, head ([0-9a-f]{64})$/m.exec(stdout) ?? [];
    expect(stdout).toContain("The audit is whole: 1 accounts");
    await using cut = runScript("verify-audit", place.env, [
      "--head",
      `${account}=${head?.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}`,
    ]);
    expect(await finished(cut)).toMatchObject({ code: 1, stdout: expect.stringMatching(/BROKEN: no entry has the hash/) });

    expect(await first.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await processesOf(place.dataDir)).toEqual([]);
    expect(await readdir(place.dataDir)).not.toContain("lock");
    expect(first.stdout()).not.toContain("started again");

    // The command also works while nothing runs.
    await using whileStopped = runScript("reset-password", place.env, [email]);
    const second = await finished(whileStopped);
    expect(second.code).toBe(0);
    await using again = onTerminal("npm --silent start", place.env);
    await waitFor("the second start's screen", () => again.stdout().includes("Ctrl-C stops.") || !again.isRunning(), 120_000);
    const screen = again.stdout().slice(again.stdout().lastIndexOf("\u001B[K") + 3);
    expect(screen.replaceAll("\r\n", "\n")).toBe(
      `Tidings is running.
  Dashboard  ${place.admin}
  Gateway    ${place.gateway}
  Sandbox    stands in for WhatsApp: nothing leaves this machine

The demo shop is there: sign in as demo@example.com.
  Forgot its password?  DATA_DIR='${place.dataDir}' npm run reset-password -- demo@example.com
  A command to paste    ${place.admin}/getting-started?step=event

Each event shows below as one line. Ctrl-C stops.
`,
    );
    await promisify(execFile)("bash", ["-c", pasteBlockOf(first.stdout())]);
    const shown = await waitFor("the event's line", () => /\r\n(\S*\d\d:\d\d:\d\d.*)\r\n/.exec(again.stdout())?.[1]);
    expect(stripVTControlCharacters(shown)).toMatch(/^\d\d:\d\d:\d\d  order\.created    1 message sent  Demo shop$/);
    expect(again.stdout()).not.toMatch(/installing|building|\{"level"/);
    const login = await signedIn(auth.login.mutate({ email, password: passwordIn(second.stdout) }));
    const admin = createAdminClient({ url: place.admin, token: login.token });
    const delivered = await waitFor("the message's delivery in the log", async () => {
      const { items: messages } = await admin.notifications.list.query({});
      return messages.find(({ status, toPhone }) => toPhone === "+14155550123" && (status === "delivered" || status === "read"));
    });
    expect(delivered).toMatchObject({ template: "demo_order_confirmation" });
    const samples = (await admin.events.list.query({ test: true })).items.map(({ name, chat }) => `${name} ${chat}`);
    expect(samples).toEqual(Array.from({ length: 3 }, () => "order.created sent"));
    expect((await admin.sites.list.query({})).items.map(({ name }) => name)).toEqual(["Demo shop"]);

    await using unknown = runScript("reset-password", place.env, ["nobody@example.com"]);
    expect(await finished(unknown)).toMatchObject({
      code: 78,
      stdout: "",
      stderr: expect.stringMatching(/^nobody signs in as nobody@example\.com/),
    });
    again.type("\u0003");
    expect(await again.ended).toEqual({ code: 0, signal: null });
    expect(again.stdout()).toMatch(/Stopping…\r\n$/);
  });

  async function sendByPrintedBlock(place: Place, start: RunningProcess): Promise<void> {
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", pasteBlockOf(start.stdout())]);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject(data<object>("test-e2e-start", "try out"));
    const messages = (await (await fetch(`${place.sandbox}/_sandbox/messages?to=%2B14155550123`)).json()) as Message[];
    expect(messages).toHaveLength(1);
    expect(messages[0]?.text).toContain("Hello Ada, thank you for your order of USD 49.90: Mug x 2, Teapot x 1.");
  }

  async function sendBySample(place: Place, start: RunningProcess): Promise<void> {
    const docs = await (await fetch(`${place.gateway}/api/public/docs/bundle`)).text();
    const sample = /^```sh\n(BODY=[\s\S]*?)^```/m.exec(docs.slice(docs.indexOf("\n### Samples")))?.[1] ?? "";
    const [SITE_KEY] = /sk_live_\w+/.exec(start.stdout()) ?? [];
    const [WEBHOOK_SECRET] = /whs_\w+/.exec(start.stdout()) ?? [];
    const env = { ...process.env, BASE_URL: place.gateway, SITE_KEY, WEBHOOK_SECRET };
    const sampled = await promisify(execFile)("bash", ["-c", sample], { env });
    expect(JSON.parse(sampled.stdout)).toMatchObject({ chat: "sent", recipients_sent: 1 });
  }
});

describe("refusals", () => {
  const refusal = async (place: Place, env: Record<string, string>): Promise<string> => {
    await using start = runScript("start", { ...place.env, ...env });
    const { code, stdout, stderr } = await finished(start);
    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    const lines = stderr
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("npm "));
    expect(lines).toHaveLength(1);
    return lines[0] ?? "";
  };

  test("a wrong variable is one line that names it, before anything is made", async () => {
    await using place = await makePlace();
    expect(await refusal(place, { IN_DOUBT_SECONDS: "soon" })).toMatch(/^IN_DOUBT_SECONDS must be a whole number/);
    expect(await refusal(place, { HOST: "192.0.2.1" })).toMatch(/^HOST 192\.0\.2\.1 is no address of this machine/);
    await expect(access(place.dataDir)).rejects.toThrow(/ENOENT/);
  });

  test("a database that cannot be reached is one line that names the variable, without its password", async () => {
    await using place = await makePlace();
    const env = withDatabase({ url: "postgres://ann:hunter2@127.0.0.1:9/none" });
    const line = await refusal(place, env);
    expect(line).toMatch(/^DATABASE_URL names a database that cannot be reached \(.*ECONNREFUSED.*\): start it or correct the address$/);
    expect(line).not.toContain("hunter2");
  });
});
