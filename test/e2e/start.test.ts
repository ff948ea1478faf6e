import { access } from "node:fs/promises";
import { connect } from "shared/db/connect";
import { expect, test, vi, describe } from "vitest";
import { openAdminOn, signedIn } from "../support/admin.ts";
import { emptyDatabase, testDatabase } from "../support/database.ts";
import { finished, makePlace, runScript, startProcess, withDatabase, type Place } from "../support/process.ts";
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
