import { addMember } from "./add-member.ts";
import { idAt, insertEvent, insertNotification } from "./log-rows.ts";
import { password, type OpenAdmin } from "./open-admin.ts";

export type FullAccount = Awaited<ReturnType<typeof fullAccount>>;

/** An account that has one of everything, and the ids of all of it. */
export async function fullAccount(admin: OpenAdmin, label: string) {
  const owner = await admin.signUp(`owner-${label}@example.com`);
  const { client } = owner;
  const { account } = await client.auth.me.query();
  const member = await addMember(admin, client, "operator", `member-${label}@example.com`);
  const invite = await client.users.invite.mutate({ email: `invited-${label}@example.com`, role: "viewer" });
  const token = await client.tokens.create.mutate({ name: `token-${label}`, role: "viewer" });
  await client.settings.update.mutate({
    timezone: "Asia/Tokyo",
    platform: { wabaId: `waba-${label}`, phoneNumberId: `number-${label}`, accessToken: `EAA-${label}`, appSecret: `secret-${label}` },
  });
  const { site } = await client.sites.create.mutate({ name: `site-${label}`, url: "https://shop.example", sourceType: "generic" });
  const { recipient } = await client.recipients.add.mutate({ siteId: site.id, phone: "+491700000001", label: `phone-${label}` });
  const { template } = await client.templates.create.mutate({
    name: `template_${label}`,
    language: "en_US",
    category: "UTILITY",
    body: "Your order {{1}} has been shipped today.",
    examples: { body: ["A-1"] },
  });
  const binding = {
    siteId: site.id,
    event: "order.created",
    templateId: template.id,
    recipient: { strategy: "customer" as const },
    variableMap: {},
  };
  const made = await client.bindings.create.mutate(binding);
  const [orderId, now] = [idAt(Date.now()), Date.now()];
  const eventId = await insertEvent(admin.sql, site.id, { id: idAt(now), payload: `{"of":"${label}"}`, order_id: orderId });
  const notificationId = await insertNotification(
    admin.sql,
    { accountId: account.id, siteId: site.id, eventId },
    { id: idAt(now), to_phone: "+491700000002" },
  );
  return {
    label,
    owner,
    client,
    account,
    member,
    password,
    binding,
    orderId,
    eventId,
    notificationId,
    tokenId: token.id,
    inviteId: invite.id,
    sessionId: (await client.auth.sessions.query()).items[0]?.id ?? "",
    siteId: site.id,
    recipientId: recipient.id,
    templateId: template.id,
    bindingId: made.binding.id,
  };
}
