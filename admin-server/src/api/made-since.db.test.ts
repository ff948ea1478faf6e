import { expect, it } from "vitest";
import { addMember, callProcedure, openAdmin, password, signedIn } from "../../../test/support/admin.ts";

it("what was made in somebody's name since a time is listed, until it is removed, and nothing that others made", async () => {
  await using admin = await openAdmin();
  const owner = await admin.signUp();
  const other = await addMember(admin, owner.client, "owner", "other@example.com");
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
  const list = async () => (await owner.client.auth.madeSince.query({ since })).items.map(({ kind, name, id }) => [kind, name, id]);
  // The newest first.
  expect(await list()).toEqual([
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
  expect((await list()).map(([kind]) => kind)).toEqual(["webhook", "key"]);
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
