import { isAtLeast, roles, type Role } from "shared/core/role";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedPhone } from "../../test/support/admin-shops.ts";
import { addMember } from "../../test/support/admin.ts";
import { callProcedure, procedurePaths } from "../../test/support/admin.ts";
import { openAdmin, password, type OpenAdmin, signedIn } from "../../test/support/admin.ts";

/** The least role that opens each procedure. */
const least: Record<string, "nobody" | Role> = {
  "assistant.get": "operator",
  "assistant.preview": "operator",
  "assistant.agree": "operator",
  "assistant.draftTemplate": "operator",
  "assistant.translateTemplate": "operator",
  "assistant.proposeBinding": "operator",
  "assistant.explain": "operator",
  "assistant.follow": "operator",
  "assistant.try": "owner",
  "alerts.list": "viewer",
  "alerts.settings": "operator",
  "alerts.update": "owner",
  "alerts.addChannel": "owner",
  "alerts.updateChannel": "owner",
  "alerts.removeChannel": "owner",
  "alerts.rotateSecret": "owner",
  "alerts.test": "operator",
  "alerts.confirm": "nobody",
  "audit.list": "owner",
  "auth.state": "nobody",
  "auth.login": "nobody",
  "auth.signUp": "nobody",
  "users.acceptInvite": "nobody",
  "users.readInvite": "nobody",
  "auth.confirmEmail": "nobody",
  "auth.resetPassword": "nobody",
  "auth.forgotPassword": "nobody",
  "auth.secondFactor": "nobody",
  "auth.startPasskeySignIn": "nobody",
  "auth.passkeySignIn": "nobody",
  "auth.startPasskeyConfirm": "viewer",
  "auth.passkeys": "viewer",
  "auth.startPasskey": "viewer",
  "auth.addPasskey": "viewer",
  "auth.removePasskey": "viewer",
  "auth.enrollTotp": "viewer",
  "auth.confirmTotp": "viewer",
  "auth.removeTotp": "viewer",
  "auth.logout": "viewer",
  "auth.me": "viewer",
  "auth.changePassword": "viewer",
  "auth.changeName": "viewer",
  "auth.changeEmail": "viewer",
  "auth.confirm": "viewer",
  "auth.switchAccount": "viewer",
  "auth.sessions": "viewer",
  "auth.revokeSession": "viewer",
  "auth.signOutEverywhere": "viewer",
  "audit.concerns": "owner",
  "bindings.list": "viewer",
  "bindings.get": "viewer",
  "bindings.preview": "viewer",
  "bindings.create": "operator",
  "bindings.update": "operator",
  "bindings.delete": "operator",
  "bindings.changeMany": "operator",
  "bindings.backfillPreview": "operator",
  "bindings.backfill": "operator",
  "bindings.backfills": "operator",
  "bindings.cancelBackfill": "operator",
  "events.replayPreview": "operator",
  "events.replay": "operator",
  "events.requested": "operator",
  "events.sendTest": "operator",
  "customers.timeline": "operator",
  "events.list": "viewer",
  "events.get": "viewer",
  "events.tail": "viewer",
  "events.names": "viewer",
  "events.fields": "viewer",
  "notifications.list": "viewer",
  "notifications.scheduled": "viewer",
  "notifications.scheduledCount": "viewer",
  "notifications.get": "viewer",
  "notifications.filterValues": "viewer",
  "notifications.cancel": "operator",
  "notifications.sendNow": "operator",
  "notifications.cancelMany": "operator",
  "notifications.sendNowMany": "operator",
  "notifications.resend": "operator",
  "notifications.resendCount": "operator",
  "notifications.resendMany": "operator",
  "notifications.resendJob": "operator",
  "optOuts.list": "viewer",
  "optOuts.lift": "operator",
  "orders.timeline": "viewer",
  "people.erase": "owner",
  "people.erasures": "owner",
  "people.erasure": "owner",
  "recipients.list": "viewer",
  "recipients.add": "operator",
  "recipients.update": "operator",
  "recipients.remove": "operator",
  "sandbox.messages": "viewer",
  "sandbox.markRead": "operator",
  "sandbox.answer": "operator",
  "settings.get": "viewer",
  "settings.update": "operator",
  "settings.renameAccount": "owner",
  "settings.testConnection": "operator",
  "settings.connectSandbox": "owner",
  "settings.saveAssistant": "owner",
  "settings.removeAssistant": "owner",
  "sites.list": "viewer",
  "sites.get": "viewer",
  "sites.unreadable": "viewer",
  "sites.diagnose": "viewer",
  "sites.refused": "viewer",
  "sites.create": "operator",
  "sites.update": "operator",
  "sites.delete": "operator",
  "sites.sendExample": "operator",
  "sites.rotateWebhookSecret": "operator",
  "sites.rotateInboundToken": "operator",
  "sites.rotateApiKey": "operator",
  "stats.messages": "viewer",
  "stats.overview": "viewer",
  "stats.backlog": "viewer",
  "stats.silentSites": "viewer",
  "stats.unreached": "viewer",
  "templates.list": "viewer",
  "templates.check": "viewer",
  "templates.counts": "viewer",
  "templates.get": "viewer",
  "templates.usage": "viewer",
  "templates.create": "operator",
  "templates.update": "operator",
  "templates.submit": "operator",
  "templates.delete": "operator",
  "templates.setHeaderMedia": "operator",
  "templates.sync": "operator",
  "templates.syncState": "viewer",
  "tokens.create": "operator",
  "tokens.list": "operator",
  "tokens.revoke": "operator",
  "users.invite": "owner",
  "users.invites.list": "owner",
  "users.invites.revoke": "owner",
  "users.list": "owner",
  "users.resetPassword": "owner",
  "users.resetSecondFactor": "owner",
  "users.setRole": "owner",
  "users.remove": "owner",
  "views.list": "viewer",
  "views.create": "operator",
  "views.update": "operator",
  "views.delete": "operator",
  "webhooks.create": "operator",
  "webhooks.list": "viewer",
  "webhooks.update": "operator",
  "webhooks.delete": "operator",
  "webhooks.rotateSecret": "operator",
  "webhooks.test": "operator",
  "webhookDeliveries.list": "viewer",
  "webhookDeliveries.get": "viewer",
  "webhookDeliveries.replay": "operator",
  "webhookDeliveries.replayFailed": "operator",
};

const refusals = new Set(["UNAUTHORIZED", "FORBIDDEN"]);
/** Procedures that no access token may call, whatever its role. */
const forPeople = /^(auth\.(?!me$|state$)|users\.|tokens\.create$|people\.erase$|settings\.(?:save|remove)Assistant$)/;

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
