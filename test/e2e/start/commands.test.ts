import { createAdminClient } from "admin-server/client";
import { expect, test, vi } from "vitest";
import { emptyDatabase } from "../../support/database/test-database.ts";
import { finished, makePlace, npmRun, npmStart } from "../../support/start/npm-start.ts";
import { waitFor } from "../../support/wait-for.ts";

// Whole starts, several a test, beside everything else that runs on the machine.
vi.setConfig({ testTimeout: 240_000 });

const passwordIn = (text: string): string => /The new password of \S+ is: (\S+)/.exec(text)?.[1] ?? "";

test("reset-password works while everything runs and while nothing does, and ends the user's sessions", async () => {
  await using place = await makePlace();
  await using start = await npmStart(place.env, "/_sandbox/messages");
  const oldPassword = /Password +(\S+)/.exec(start.stdout())?.[1] ?? "";
  const { auth } = createAdminClient({ url: place.admin });
  const email = "demo@example.com";
  const { token } = await auth.login.mutate({ email, password: oldPassword });

  await using whileRunning = npmRun("reset-password", place.env, ["Demo@Example.com"]);
  const first = await finished(whileRunning);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  await expect(createAdminClient({ url: place.admin, token }).auth.me.query()).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
  await expect(auth.login.mutate({ email, password: oldPassword })).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
  const signedIn = await auth.login.mutate({ email, password: passwordIn(first.stdout) });
  const { audit } = createAdminClient({ url: place.admin, token: signedIn.token });
  const { items } = await audit.list.query({ actor: "npm run reset-password" });
  expect(items).toMatchObject([{ action: "auth.resetPassword", subject: signedIn.user.id, actorId: null, address: null }]);
  await start.kill("SIGTERM");

  await using whileStopped = npmRun("reset-password", place.env, [email]);
  const second = await finished(whileStopped);
  expect(second.code).toBe(0);
  await using again = await npmStart(place.env);
  expect((await auth.login.mutate({ email, password: passwordIn(second.stdout) })).user.email).toBe(email);

  await using unknown = npmRun("reset-password", place.env, ["nobody@example.com"]);
  expect(await finished(unknown)).toMatchObject({
    code: 78,
    stdout: "",
    stderr: expect.stringMatching(/^nobody signs in as nobody@example\.com/),
  });
  await again.kill("SIGTERM");
});

test("reset-password over a folder without a database makes none", async () => {
  await using place = await makePlace();
  await using command = npmRun("reset-password", place.env, ["ann@example.com"]);
  expect(await finished(command)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^DATA_DIR .* holds no database/) });
});

test("several may migrate a database at once; a part says when nobody has", async () => {
  await using database = await emptyDatabase();
  const env = { DATABASE_URL: database.url, MASTER_KEY: Buffer.alloc(32).toString("base64"), GATEWAY_PORT: "0" };
  await using early = npmRun("gateway", env);
  expect(await finished(early)).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^DATABASE_URL: the database lacks 0001_core\.sql: run "npm run migrate" first/),
  });
  const ended = await Promise.all([1, 2, 3].map(async () => finished(npmRun("migrate", env))));
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual([1, 2, 3].map(() => ({ code: 0, stderr: "" })));
  expect(ended.flatMap(({ stdout }) => stdout.match(/applied 0001_core\.sql/g) ?? [])).toHaveLength(1);
});

test("an admin server alone prints the code of a first sign-up from another machine, until somebody has an account", async () => {
  await using database = await emptyDatabase();
  const env = { DATABASE_URL: database.url, MASTER_KEY: Buffer.alloc(32).toString("base64"), ADMIN_PORT: "0", TRUST_PROXY: "1" };
  await finished(npmRun("migrate", env));
  await using server = npmRun("admin-server", env);
  await waitFor("the setup code", () => server.stdout().includes("first sign-up"));
  const [, url = ""] = /"url":"([^"]+)"/.exec(server.stdout()) ?? [];
  const [, setupCode = ""] = /"code":"([0-9a-f]{12})"/.exec(server.stdout()) ?? [];
  const signUp = async (code: string): Promise<number> => {
    const body = JSON.stringify({ accountName: "Shop", email: "ann@shop.example", password: "correct horse staple", setupCode: code });
    const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" };
    return (await fetch(`${url}/trpc/auth.signUp`, { method: "POST", headers, body })).status;
  };
  expect(await signUp("000000000000")).toBe(403);
  expect(await signUp(setupCode)).toBe(200);
  await server.kill("SIGTERM");

  await using again = npmRun("admin-server", env);
  await waitFor("the second start", () => again.stdout().includes("listening"));
  expect(again.stdout()).not.toContain("first sign-up");
  await again.kill("SIGTERM");
});

test.each(["gateway", "admin-server", "sandbox", "migrate"])("%s alone needs its database named", async (script) => {
  await using command = npmRun(script, {});
  expect(await finished(command)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^DATABASE_URL must be set/m) });
});
