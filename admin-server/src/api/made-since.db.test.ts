import { expect, it } from "vitest";
import { addMember, callProcedure, openAdmin, password, signedIn } from "../../../test/support/admin.ts";
import { totpCode, totpStep } from "../session/totp.ts";

it("what was made in somebody's name since a time is listed, until it is removed, and nothing that others made", async () => {
  await using admin = await openAdmin();
  const owner = await admin.signUp();
  const other = await addMember(admin, owner.client, "owner", "other@example.com");
  const viewer = await addMember(admin, owner.client, "viewer", "viewer@example.com");
  const made = async (client: typeof owner.client, label: string) => {
    const { site } = await client.sites.create.mutate({ name: `site ${label}`, url: "https://shop.example", sourceType: "generic" });
    const { webhook } = await client.webhooks.create.mutate({
      siteId: site.id,
      url: `https://${label}.example/hook`,
      types: ["message.sent"],
    });
    const { channel } = await client.alerts.addChannel.mutate({ kind: "webhook", url: `https://${label}.example/alerts` });
    const token = await client.tokens.create.mutate({ name: `token ${label}`, role: "viewer" });
    const invitation = await client.users.invite.mutate({ email: `${label}@invited.example`, role: "viewer" });
    return { site, webhook, channel, token, invitation };
  };
  const before = await made(owner.client, "before");
  await made(other.client, "theirs");
  const [row] = await admin.sql<{ at: Date }[]>`select clock_timestamp() as at`;
  const since = row?.at.toISOString() ?? "";
  // A session that somebody else has.
  const stolen = admin.client((await signedIn(admin.client().auth.login.mutate({ email: owner.email, password }))).token);
  const left = await made(stolen, "left");
  await stolen.sites.rotateApiKey.mutate({ id: before.site.id });
  await stolen.sites.update.mutate({ id: before.site.id, name: "site before", sourceSecret: "shpss_0123456789" });
  await stolen.webhooks.update.mutate({ id: before.webhook.id, url: "https://stolen.example/hook" });
  const { token: link } = await stolen.users.resetPassword.mutate({ id: other.user.id });
  // Somebody whom the thief lets in lets in another.
  const accomplice = await addMember(admin, stolen, "owner", "accomplice@left.example");
  const further = await addMember(admin, accomplice.client, "viewer", "further@left.example");
  await stolen.users.setRole.mutate({ id: viewer.user.id, role: "operator" });
  const { recipient } = await stolen.recipients.add.mutate({ siteId: before.site.id, phone: "+15559990009" });
  const { template } = await stolen.templates.create.mutate({
    name: "left",
    language: "en_US",
    category: "UTILITY",
    body: "It has come to us.",
  });
  const bind = { siteId: before.site.id, event: "a.b", templateId: template.id, variableMap: {} };
  const toThief = await stolen.bindings.create.mutate({ ...bind, recipient: { strategy: "static_phone", phone: "+15559990009" } });
  await stolen.bindings.create.mutate({ ...bind, recipient: { strategy: "customer" } });
  await stolen.sites.update.mutate({ id: before.site.id, testPhone: "+15559990009" });
  await stolen.settings.update.mutate({ platform: { wabaId: "1", phoneNumberId: "2", accessToken: "theirs" } });
  const { secret } = await stolen.auth.enrollTotp.mutate();
  await stolen.auth.confirmTotp.mutate({ code: totpCode(secret, totpStep(new Date())) });
  const list = async () => (await owner.client.auth.madeSince.query({ since })).items.map(({ kind, name, id }) => [kind, name, id]);
  // The newest first.
  expect(await list()).toEqual([
    ["app", "", owner.user.id],
    ["credentials", "settings.update", (await owner.client.auth.me.query()).account.id],
    ["address", "site before", before.site.id],
    ["binding", "a.b", toThief.binding.id],
    ["recipient", "+15559990009", recipient.id],
    ["person", "viewer@example.com", viewer.user.id],
    ["person", "further@left.example", further.user.id],
    ["person", "accomplice@left.example", accomplice.user.id],
    ["webhook", "https://stolen.example/hook", before.webhook.id],
    ["key", "site before", before.site.id],
    ["invitation", "left@invited.example", left.invitation.id],
    ["token", "token left", left.token.id],
    ["channel", expect.stringContaining("left.example"), left.channel.id],
    ["webhook", "https://left.example/hook", left.webhook.id],
    ["site", "site left", left.site.id],
  ]);
  await owner.client.sites.delete.mutate({ id: left.site.id });
  await owner.client.alerts.removeChannel.mutate({ id: left.channel.id });
  await owner.client.tokens.revoke.mutate({ id: left.token.id });
  await owner.client.users.invites.revoke.mutate({ id: left.invitation.id });
  await owner.client.recipients.remove.mutate({ id: recipient.id });
  for (const { user } of [further, accomplice]) await owner.client.users.remove.mutate({ id: user.id });
  expect((await list()).map(([kind]) => kind)).toEqual(["app", "credentials", "address", "binding", "person", "webhook", "key"]);
  expect((await admin.client(other.token).auth.madeSince.query({ since })).items).toEqual([]);
  // A link that lets somebody in is no thing to remove: it ends.
  await owner.client.auth.signOutEverywhere.mutate();
  const { code } = await callProcedure(admin, "auth.resetPassword", { token: link, password: "another long password" });
  expect(code).toBe("NOT_FOUND");
});

it("the person's other accounts are named in which something was made", async () => {
  await using admin = await openAdmin();
  const [owner, second] = [await admin.signUp(), await admin.signUp()];
  const { token } = await second.client.users.invite.mutate({ email: owner.email, role: "owner" });
  const also = await signedIn(admin.client().users.acceptInvite.mutate({ token, name: "Ann", password }));
  const since = new Date(Date.now() - 60_000).toISOString();
  await admin.client(also.token).tokens.create.mutate({ name: "x", role: "viewer" });
  const { account } = await second.client.auth.me.query();
  const home = (await owner.client.auth.me.query()).account.id;
  const there = await owner.client.auth.madeSince.query({ since });
  expect([home === account.id, there.items, there.elsewhere]).toEqual([false, [], [{ id: account.id, name: account.name }]]);
});
