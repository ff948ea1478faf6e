import { isAtLeast, roles, type Role } from "shared/core/role";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedPhone } from "../../test/support/admin-shops.ts";
import { addMember } from "../../test/support/admin.ts";
import { callProcedure, procedurePaths } from "../../test/support/admin.ts";
import { openAdmin, password, type OpenAdmin, signedIn } from "../../test/support/admin.ts";
import { words } from "../../test/support/words.ts";

/** The procedures by the least role that opens them. */
const opened: Record<"nobody" | Role, string> = {
  nobody: `
    alerts.confirm auth.confirmEmail auth.forgotPassword auth.login auth.passkeySignIn auth.proveEmail auth.resetPassword auth.secondFactor auth.signUp
    auth.startPasskeySignIn auth.state users.acceptInvite users.readInvite`,
  viewer: `
    alerts.list auth.addPasskey auth.changeEmail auth.changeName auth.changePassword auth.confirm auth.confirmTotp auth.enrollTotp auth.logout
    auth.madeSince auth.me auth.passkeys auth.removePasskey auth.removeTotp auth.resendProof auth.revokeSession auth.sessions auth.signOutEverywhere auth.startPasskey
    auth.startPasskeyConfirm auth.switchAccount bindings.get bindings.list bindings.plan bindings.preview bindings.versions events.fields events.get events.list events.names
    events.tail notifications.count notifications.filterValues notifications.get notifications.list notifications.scheduled notifications.scheduledCount operations.get operations.list optOuts.list orders.timeline problems.list recipients.list sandbox.messages settings.get sites.get sites.list sites.refused sites.types stats.backlog stats.messages stats.overview stats.pricing templates.check templates.counts templates.get templates.list
    templates.syncState templates.usage templates.versions views.list webhookDeliveries.get webhookDeliveries.list webhooks.list`,
  operator: `
    alerts.settings alerts.test assistant.agree assistant.draftTemplate assistant.explain assistant.follow assistant.get assistant.preview
    assistant.proposeBinding assistant.translateTemplate bindings.backfill bindings.backfillPreview bindings.backfills bindings.cancelBackfill
    bindings.changeMany bindings.create bindings.delete bindings.restore bindings.update customers.timeline events.replay events.replayPreview events.requested
    events.sendTest notifications.cancel notifications.cancelMany notifications.resend notifications.resendCount notifications.resendJob
    notifications.resendMany notifications.sendNow notifications.sendNowMany operations.stop optOuts.lift problems.acknowledge problems.note problems.resolve problems.snooze recipients.add recipients.remove recipients.update
    sandbox.answer sandbox.control sandbox.markRead settings.testConnection settings.update setup.export setup.plan setup.update sites.create sites.delete sites.rotateApiKey sites.rotateInboundToken
    sites.rotateWebhookSecret sites.sendExample sites.update templates.create templates.delete templates.restore templates.setHeaderMedia templates.submit
    templates.sync templates.update tokens.create tokens.list tokens.revoke views.create views.delete views.update webhookDeliveries.replay
    webhookDeliveries.replayFailed webhooks.create webhooks.delete webhooks.rotateSecret webhooks.tail webhooks.test webhooks.update`,
  owner: `
    alerts.addChannel alerts.removeChannel alerts.rotateSecret alerts.update alerts.updateChannel assistant.try audit.concerns audit.list
    people.confirmErasure people.erase people.erasure people.erasureRequests people.erasures people.refuseErasure settings.connectSandbox settings.removeAssistant settings.renameAccount settings.saveAssistant
    users.invite users.invites.list users.invites.revoke users.list users.remove users.resetPassword users.resetSecondFactor users.setRole`,
};
const least = Object.fromEntries(
  Object.entries(opened).flatMap(([role, paths]) => words(paths).map((path) => [path, role as "nobody" | Role] as const)),
);

const refusals = new Set(["UNAUTHORIZED", "FORBIDDEN"]);
/** Procedures that no access token may call, whatever its role. */
const forPeople = /^(auth\.(?!me$|state$)|users\.|tokens\.create$|people\.(?:erase|confirmErasure)$|settings\.(?:save|remove)Assistant$)/;

describe("roles", () => {
  let admin: OpenAdmin;
  const emails = {} as Record<Role, string>;
  const sessions: Partial<Record<Role, string>> = {};
  const tokens = {} as Record<Role, string>;
  beforeAll(async () => {
    admin = await openAdmin({ isSandbox: true }, { sandbox: sharedPhone });
    const owner = await admin.signUp();
    for (const role of roles) {
      emails[role] = role === "owner" ? owner.email : (await addMember(admin, owner.client, role, `${role}@example.com`)).email;
      tokens[role] = (await owner.client.tokens.create.mutate({ name: role, role })).token;
    }
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
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
    for (const role of roles) {
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
