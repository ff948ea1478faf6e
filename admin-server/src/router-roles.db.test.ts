import { isAtLeast, roles, type Role } from "shared/core/role";
import { beforeAll, describe, expect, it } from "vitest";
import { type OpenResources, openResources, outcomeOf, procedurePaths, type ResourceCaller } from "../../test/support/admin.ts";
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
  const resources = shared(async () => openResources({}, { allowSignUp: true }));
  const tokens = {} as Record<Role, ResourceCaller>;
  let account: Awaited<ReturnType<OpenResources["account"]>>;
  beforeAll(async () => {
    account = await resources.account("owner");
    for (const role of roles) tokens[role] = account.as(role, { id: (await account.api.tokens.create({ name: role, role })).id });
  });
  const outcome = async (path: string, caller: ResourceCaller): Promise<string> => {
    const { code } = await outcomeOf(caller, path);
    return refusals.has(code) ? code : "let in";
  };

  it("are settled for every procedure that there is", () => {
    expect(Object.keys(least).toSorted()).toEqual(procedurePaths.toSorted());
  });

  it.each(Object.entries(least))("%s takes at least: %s", async (path, needed) => {
    expect(await outcome(path, resources.nobody)).toBe(needed === "nobody" ? "let in" : "UNAUTHORIZED");
    // A call of `auth` may end the session.
    const { as } = path.startsWith("auth.") ? await resources.account() : account;
    for (const role of roles) {
      const expected = needed === "nobody" || isAtLeast(role, needed) ? "let in" : "FORBIDDEN";
      const ofToken = forPeople.test(path) ? "FORBIDDEN" : expected;
      expect([role, await outcome(path, as(role)), await outcome(path, tokens[role])]).toEqual([role, expected, ofToken]);
    }
  });

  it("are asked for before the input is looked at", async () => {
    await expect(tokens.viewer.sites.update({ id: "no id", name: 5 as never })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});
