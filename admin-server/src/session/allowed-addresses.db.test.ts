import { describe, expect, it } from "vitest";
import {
  addMember,
  openAdmin,
  openAdminOn,
  type OpenAdmin,
  password,
  procedurePaths,
  serverSent,
  type ServerSent,
} from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { heldUp } from "../../../test/support/held-up.ts";
import { shared } from "../../../test/support/shared.ts";

const [office, home] = ["203.0.113.7", "198.51.100.9"];
const officeNetwork = "203.0.113.0/24";

interface Answer {
  result?: { data: Record<string, unknown> };
  error?: { message: string; data: { code: string; reason: string | null; issues: { path: unknown[]; message: string }[] | null } };
}

describe("the addresses that an account allows", () => {
  /** A server behind no proxy: every call comes from 127.0.0.1. */
  const admin = shared(async () => openAdmin({ trustProxy: true }));
  const direct = shared(async () => openAdminOn(admin.databaseUrl));

  const headers = (token: string, address: string) => ({ authorization: `Bearer ${token}`, "x-forwarded-for": address });
  const call = async (token: string, address: string, path: string, input: unknown = {}, server: Pick<OpenAdmin, "call"> = admin) =>
    (await (await server.call(path, input, headers(token, address))).json()) as Answer;
  const allow = async (token: string, lists: { dashboard?: string[]; tokens?: string[] }, address = office) =>
    call(token, address, "settings.update", { allowedAddresses: lists });
  const outcome = ({ error }: Answer): string => (error === undefined ? "ok" : (error.data.reason ?? error.data.code));
  const accountOf = async (token: string) =>
    ((await call(token, office, "auth.me")).result?.data["account"] as { id: string } | undefined)?.id ?? "";

  /** An account that opens only to the office, its owner's session there, and a token of theirs. */
  const guarded = async () => {
    const { token, user, client, email } = await admin.signUp();
    const made = (await client.tokens.create.mutate({ name: "x", role: "owner" })).token;
    expect(outcome(await allow(token, { dashboard: [officeNetwork], tokens: [officeNetwork] }))).toBe("ok");
    return { token, accessToken: made, user, email, accountId: await accountOf(token) };
  };

  it("are the owner's to choose with a fresh proof, are shown in their one spelling, and stand in the audit", async () => {
    const { token, client } = await admin.signUp();
    const answer = await allow(token, { dashboard: [" 203.0.113.77/24 ", officeNetwork, "2001:DB8::0/32"] });
    const lists = { dashboard: [officeNetwork, "2001:db8::/32"], tokens: [] };
    expect(answer.result?.data).toMatchObject({ allowedAddresses: lists, yourAddress: office });
    await allow(token, { tokens: ["::ffff:198.51.100.9"] });
    const shown = await call(token, office, "settings.get");
    expect(shown.result?.data).toMatchObject({ allowedAddresses: { ...lists, tokens: [home] } });
    const audit = await call(token, office, "audit.list", { action: "settings.update" });
    expect(audit.result?.data["items"]).toMatchObject([
      { changes: [{ member: "tokenAddresses", before: "{}", after: `{${home}}` }] },
      { changes: [{ member: "dashboardAddresses", before: "{}", after: `{${officeNetwork},2001:db8::/32}` }] },
    ]);

    await allow(token, { dashboard: [], tokens: [] });
    for (const role of ["viewer", "operator"] as const) {
      const member = await addMember(admin, client, role, `addresses-${role}@example.com`);
      expect(outcome(await allow(member.token, { dashboard: [] }))).toBe("FORBIDDEN");
      expect((await call(member.token, office, "settings.get")).result?.data["allowedAddresses"]).toBeNull();
    }
    const made = await client.tokens.create.mutate({ name: "x", role: "owner" });
    expect(outcome(await allow(made.token, { tokens: [] }))).toBe("FORBIDDEN");
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    expect(outcome(await allow(token, { dashboard: [] }))).toBe("confirm");
  });

  it("are refused when they are none, too many, or would shut out who chooses them", async () => {
    const { token } = await admin.signUp();
    const refused = async (dashboard: string[]) => {
      const { error } = await allow(token, { dashboard, tokens: dashboard });
      return { code: error?.data.code, issues: error?.data.issues?.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [] };
    };
    const wrong = await refused([office, "10.0.0.1/33", "0.0.0.0/0"]);
    expect(wrong.code).toBe("BAD_REQUEST");
    expect(wrong.issues).toEqual(
      ["dashboard", "tokens"].flatMap((list) => [
        expect.stringContaining(`allowedAddresses.${list}.1: "10.0.0.1/33" is neither an address nor a network`),
        expect.stringContaining(`allowedAddresses.${list}.2: "0.0.0.0/0" is every address`),
      ]),
    );
    expect((await refused([home])).issues).toEqual([
      `allowedAddresses.dashboard: Would lock you out: your address is ${office}. Add it, or a network that contains it`,
    ]);
    expect((await refused(Array.from({ length: 81 }, (_, at) => `203.0.113.${at}`))).issues).toHaveLength(2);
    expect((await refused(["9".repeat(100_000)])).code).toBe("BAD_REQUEST");
    expect(outcome(await call(token, home, "settings.get"))).toBe("ok");
  });

  it("keep sessions and tokens from elsewhere out of every procedure but the ways out, for whoever is signed in", async () => {
    const { token, accessToken } = await guarded();
    const outcomes = async (by: string) => {
      const paths = procedurePaths.filter((each) => !["events.tail", "webhooks.tail", "assistant.follow", "auth.logout"].includes(each));
      const found = await Promise.all(paths.map(async (path) => [path, outcome(await call(by, home, path))] as const));
      return Object.fromEntries(found.filter(([, how]) => how !== "address"));
    };
    // These are for strangers, or ask for an account to switch to.
    const open = data<string[]>("admin-server-session-allowed-addresses", "open");
    const strangers = {
      "auth.state": "ok",
      "auth.startPasskeySignIn": "ok",
      ...Object.fromEntries(open.map((path) => [path, "BAD_REQUEST"])),
    };
    expect(await outcomes(token)).toEqual({ ...strangers, "auth.me": "ok", "auth.switchAccount": "BAD_REQUEST" });
    const byToken = await outcomes(accessToken);
    expect(Object.values(byToken).filter((how) => how === "ok")).toEqual(["ok"]);
    expect(byToken).toMatchObject({ "auth.state": "ok" });
    const me = await call(token, home, "auth.me");
    expect(me.result?.data).toMatchObject({ refusedAddress: home });
    expect((await call(token, office, "auth.me")).result?.data).toMatchObject({ refusedAddress: null });
    expect((await call(token, home, "sites.list")).error?.message).toContain(`does not allow access from ${home}`);
    expect(outcome(await call(token, home, "auth.logout"))).toBe("ok");
    expect(outcome(await call(token, office, "sites.list"))).toBe("UNAUTHORIZED");
  });

  it("count for files and live views too", async () => {
    const { token, accessToken } = await guarded();
    for (const by of [token, accessToken]) {
      const file = `/media/${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`;
      for (const path of ["/export/audit.csv?actor=x", "/export/notifications.csv?status=failed", file]) {
        const answer = await admin.fetch(path, { headers: headers(by, home) });
        expect([path, answer.status, await answer.text()]).toEqual([path, 403, expect.stringContaining(home)]);
        expect([200, 404]).toContain((await admin.fetch(path, { headers: headers(by, office) })).status);
      }
      const upload = await admin.fetch("/media", { method: "POST", headers: headers(by, home), body: "x" });
      expect(upload.status).toBe(403);
      const view = serverSent(`${admin.url}/trpc/events.tail`, headers(by, home));
      await view.next();
      expect((await view.next()).value?.data).toContain('"reason":"address"');
    }
  });

  it("keep lists of their own for sessions and tokens", async () => {
    const { token, accessToken } = await guarded();
    await allow(token, { tokens: [home] });
    expect(await Promise.all([office, home].map(async (address) => outcome(await call(accessToken, address, "sites.list"))))).toEqual([
      "address",
      "ok",
    ]);
    await allow(token, { tokens: [], dashboard: [office] });
    expect(outcome(await call(accessToken, "2001:db8::1", "sites.list"))).toBe("ok");
    expect(outcome(await call(token, "203.0.113.8", "sites.list"))).toBe("address");
    expect(outcome(await call(token, `::ffff:${office}`, "sites.list"))).toBe("ok");
  });

  it("are not met by a header that no trusted proxy wrote", async () => {
    const { token } = await guarded();
    expect(outcome(await call(token, office, "sites.list", {}, direct))).toBe("address");
    // The entries before the last came with the request.
    expect(outcome(await call(token, `${office}, ${home}`, "sites.list"))).toBe("address");
    expect(outcome(await call(token, `${home}, ${office}`, "sites.list"))).toBe("ok");
  });

  it("end live views within two seconds after they change", async () => {
    const { token, client } = await admin.signUp();
    const { token: accessToken } = await client.tokens.create.mutate({ name: "x", role: "viewer" });
    const views = [token, accessToken].map((by) => serverSent(`${admin.url}/trpc/events.tail`, headers(by, home)));
    for (const view of views) expect((await view.next()).value?.event).toBe("connected");
    await allow(token, { dashboard: [office], tokens: [office] });
    for (const view of views) {
      let last: ServerSent | undefined;
      for await (const sent of view) last = sent;
      expect(last).toMatchObject({ event: "serialized-error" });
    }
  });

  it("hold against a change that somebody elsewhere has under way", async () => {
    const { token } = await admin.signUp();
    const accountId = await accountOf(token);
    const attempts = () => [
      allow(token, { dashboard: [] }, home),
      call(token, home, "tokens.create", { name: "x", role: "owner" }),
      call(token, home, "users.invite", { email: "accomplice@example.com", role: "owner" }),
      call(token, home, "sites.create", { name: "Shop", url: "https://shop.example", sourceType: "generic" }),
    ];
    const calls = await heldUp(
      admin.sql,
      (sql) => sql`select from account where id = ${accountId} for update`,
      1,
      attempts,
      (sql) => sql`update account set dashboard_addresses = ${[office]} where id = ${accountId}`,
    );
    expect(await Promise.all(calls.map(async (one) => outcome(await one)))).toEqual(["address", "address", "address", "address"]);
    expect((await call(token, office, "tokens.list")).result?.data["items"]).toEqual([]);
  });

  it("let a person of two accounts go to the one that lets them in, and to no other", async () => {
    const { email, accountId, token: ownerToken } = await guarded();
    const second = await admin.signUp();
    const secondId = await accountOf(second.token);
    const invited = await call(second.token, home, "users.invite", { email, role: "viewer" });
    const joined = await call("", home, "users.acceptInvite", { token: invited.result?.data["token"], name: "x", password });
    const token = String(joined.result?.data["token"]);
    expect(outcome(await call(token, home, "sites.list"))).toBe("ok");
    expect(outcome(await call(token, home, "auth.switchAccount", { accountId }))).toBe("address");
    expect(outcome(await call(token, home, "sites.list"))).toBe("ok");
    expect((await call(token, home, "auth.me")).result?.data).toMatchObject({ account: { id: secondId } });
    expect(outcome(await call(token, office, "auth.switchAccount", { accountId }))).toBe("ok");
    expect(outcome(await call(token, home, "sites.list"))).toBe("address");
    // The sign-in tells a stranger nothing of the lists: it works, and then the account refuses.
    const again = await call("", home, "auth.login", { email, password });
    expect(outcome(await call(String(again.result?.data["token"]), home, "sites.list"))).toBe("address");
    expect(outcome(await call(token, home, "auth.switchAccount", { accountId: secondId }))).toBe("ok");
    expect(outcome(await call(token, home, "sites.list"))).toBe("ok");
    expect(outcome(await call(second.token, home, "auth.switchAccount", { accountId }))).toBe("NOT_FOUND");
    expect(outcome(await call(ownerToken, office, "sites.list"))).toBe("ok");
  });
});
