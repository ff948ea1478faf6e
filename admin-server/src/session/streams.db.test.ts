import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { newId } from "shared/db/ids";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { addMember, openAdmin, serverSent, type OpenAdmin } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { Caller } from "./caller.ts";
import { whileLetIn } from "./sessions.ts";

describe("a live view", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  const admin = shared(async () => openAdmin());
  beforeAll(async () => {
    owner = await admin.signUp();
  });

  /** Resolves once the view shows something; `ended` then waits for the code with which the view ends. */
  const watch = async (token: string) => {
    const stream = serverSent(`${admin.url}/trpc/events.tail`, { authorization: `Bearer ${token}` });
    const next = async (event: string): Promise<string> => {
      for (;;) {
        const { value } = await stream.next();
        if (value === undefined) return "ended without a word";
        if (value.event === "serialized-error") return (JSON.parse(value.data) as { data: { code: string } }).data.code;
        if (value.event === event) return event;
      }
    };
    return { begins: await next("message"), ended: () => next("none"), leave: () => stream.return(undefined) };
  };

  it.each<[string, (member: Awaited<ReturnType<typeof addMember>>, tokenId: string) => Promise<unknown>]>([
    ["is removed", ({ user }) => owner.client.users.remove.mutate({ id: user.id })],
    ["is demoted", ({ user }) => owner.client.users.setRole.mutate({ id: user.id, role: "viewer" })],
    [
      "signs out everywhere, and the token is revoked",
      async ({ client }, id) => {
        await client.tokens.revoke.mutate({ id });
        await client.auth.signOutEverywhere.mutate();
      },
    ],
  ])("ends when its user %s", async (what, act) => {
    const member = await addMember(admin, owner.client, "operator", `${what.replaceAll(/\W/g, "-")}@example.com`);
    const { token, id } = await member.client.tokens.create.mutate({ name: "x", role: "operator" });
    const views = [await watch(member.token), await watch(token)];
    expect(views.map(({ begins }) => begins)).toEqual(["message", "message"]);
    await act(member, id);
    expect(await Promise.all(views.map(({ ended }) => ended()))).toEqual(["UNAUTHORIZED", "UNAUTHORIZED"]);
  });

  it("that its user has left ends without a word, also when the access ends at that moment", async () => {
    const caller = { userId: "user", via: { kind: "access-token", id: newId() }, role: "viewer" } as unknown as Caller;
    const leave = new AbortController();
    const stream = whileLetIn({ sql: admin.sql, log: pino({ level: "silent" }), caller }, leave.signal, async function* (ended) {
      yield 1;
      await once(ended, "abort");
      leave.abort();
    });
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    // There is no such token, and the view ends within a second.
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("that ends while nobody waits for its next item ends nothing else", async () => {
    const caller = { userId: "user", via: { kind: "access-token", id: newId() }, role: "viewer" } as unknown as Caller;
    const unheard = vi.fn<() => void>();
    process.once("unhandledRejection", unheard);
    const ended = vi.fn<() => void>();
    const stream = whileLetIn(
      { sql: admin.sql, log: pino({ level: "silent" }), caller },
      new AbortController().signal,
      async function* (end) {
        yield 1;
        await once(end, "abort");
        ended();
      },
    );
    await stream.next();
    void stream.next();
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), 20_000);
    await setImmediate();
    process.off("unhandledRejection", unheard);
    expect(unheard).not.toHaveBeenCalled();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("is one of twenty of its user at most, and those that were left do not count", async () => {
    const member = await addMember(admin, owner.client, "viewer", "many@example.com");
    const views = await Promise.all(Array.from({ length: 20 }, () => watch(member.token)));
    expect(new Set(views.map(({ begins }) => begins))).toEqual(new Set(["message"]));
    expect((await watch(member.token)).begins).toBe("TOO_MANY_REQUESTS");
    await views[0]?.leave();
    const again = await waitFor("room for another", async () => {
      const view = await watch(member.token);
      return view.begins === "message" && view;
    });
    for (const view of [...views, again]) await view.leave();
  });
});
