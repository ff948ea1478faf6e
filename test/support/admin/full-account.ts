import { orderId as orderIdOf } from "shared/db/ids";
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
  const approvedId = idAt(now);
  await admin.sql`
    insert into template (id, account_id, name, language, category, status, definition)
    select ${approvedId}, account_id, ${`approved_${label}`}, 'en_US', 'UTILITY', 'approved', definition from template where id = ${template.id}`;
  const failedId = await insertNotification(
    admin.sql,
    { accountId: account.id, siteId: site.id, eventId },
    { id: idAt(now), to_phone: "+491700000004", status: "failed", template_id: approvedId },
  );
  const resendJobId = idAt(now);
  await admin.sql`
    insert into resend_job (id, account_id, created_by, filter, force, total, below, finished_at)
    values (${resendJobId}, ${account.id}, ${owner.email}, '{}', false, 0, ${resendJobId}, now())`;
  const optOutId = idAt(now);
  await admin.sql`
    insert into opt_out (id, account_id, phone_hash, phone, scope, source, active, since, told_at)
    values (${optOutId}, ${account.id}, 'digest', '+491700000005', 'all', 'callback', true, now(), now())`;
  const erasureId = idAt(now);
  await admin.sql`
    insert into erasure (id, account_id, requested_by, phone_hash, hint, below, steps, finished_at)
    values (${erasureId}, ${account.id}, ${owner.email}, 'digest', ${`hint-${label}`}, ${erasureId}, '[]', now())`;
  const storedOrderId = orderIdOf(site.id, { kind: "id", value: "10042" });
  await admin.sql`insert into customer_order (id, site_id, external_id, last_event_id) values (${storedOrderId}, ${site.id}, ${`of-${label}`}, ${eventId})`;
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
    failedId,
    resendJobId,
    optOutId,
    erasureId,
    storedOrderId,
    tokenId: token.id,
    inviteId: invite.id,
    sessionId: (await client.auth.sessions.query()).items[0]?.id ?? "",
    siteId: site.id,
    recipientId: recipient.id,
    templateId: template.id,
    bindingId: made.binding.id,
  };
}
