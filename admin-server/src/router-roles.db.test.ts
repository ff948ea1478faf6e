import { isAtLeast, roles, type Role } from "shared/core/role";
import { beforeAll, describe, expect, it } from "vitest";
import { sharedPhone } from "../../test/support/admin-shops.ts";
import { addMember, callProcedure, procedurePaths, openAdmin, password, signedIn } from "../../test/support/admin.ts";
import { data } from "../../test/support/data.ts";
import { shared } from "../../test/support/shared.ts";
import { words } from "../../test/support/words.ts";

/** The procedures by the least role that opens them. */
const opened: Record<"nobody" | Role, string> = data("admin-server-router-roles", "opened");
const least = Object.fromEntries(
  Object.entries(opened).flatMap(([role, paths]) => words(paths).map((path) => [path, role as "nobody" | Role] as const)),
);

const refusals = new Set(["UNAUTHORIZED", "FORBIDDEN"]);
/** Procedures that no access token may call, whatever its role. */
const forPeople = /^(auth\.(?!me$|state$)|users\.|tokens\.create$|people\.(?:erase|confirmErasure)$|settings\.(?:save|remove)Assistant$)/;

describe("roles", () => {
  const emails = {} as Record<Role, string>;
  const sessions: Partial<Record<Role, string>> = {};
  const tokens = {} as Record<Role, string>;
  const admin = shared(async () => openAdmin({ isSandbox: true }, { sandbox: sharedPhone }));
  beforeAll(async () => {
    const owner = await admin.signUp();
    for (const role of roles) {
      emails[role] = role === "owner" ? owner.email : (await addMember(admin, owner.client, role, `${role}@example.com`)).email;
      tokens[role] = (await owner.client.tokens.create.mutate({ name: role, role })).token;
    }
  });
  const signIn = async (role: Role): Promise<string> =>
    (sessions[role] ??= (await signedIn(admin.client().auth.login.mutate({ email: emails[role], password }))).token);

  it("are settled for every procedure that there is", () => {
    expect(Object.keys(least).toSorted()).toEqual(procedurePaths.toSorted());
  });

  it.each(Object.entries(least))("%s takes at least: %s", async (path, needed) => {
    const outcome = async (token?: string): Promise<string> => {
      const { code } = await callProcedure(admin, path, {}, token);
      return refusals.has(code) ? code : "let in";
    };
    expect(await outcome()).toBe(needed === "nobody" ? "let in" : "UNAUTHORIZED");
    // The least role and the one below it: `isAtLeast` settles the others.
    const place = needed === "nobody" ? 0 : roles.indexOf(needed);
    for (const role of roles.slice(Math.max(0, place - 1), place + 1)) {
      const session = await signIn(role);
      const expected = needed === "nobody" || isAtLeast(role, needed) ? "let in" : "FORBIDDEN";
      const ofToken = forPeople.test(path) ? "FORBIDDEN" : expected;
      expect([role, await outcome(session), await outcome(tokens[role])]).toEqual([role, expected, ofToken]);
      // A call of `auth` may have ended the session.
      if (path.startsWith("auth.")) delete sessions[role];
    }
  });

  it("are asked for before the input is looked at", async () => {
    const answer = await callProcedure(admin, "sites.update", { id: "no id", name: 5 }, tokens.viewer);
    expect(answer.code).toBe("FORBIDDEN");
  });
});
