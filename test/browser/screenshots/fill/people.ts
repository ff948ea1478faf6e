import { addMember } from "../../../support/admin/add-member.ts";
import { idAt } from "../../../support/admin/log-rows.ts";
import type { AdminClient } from "../../../support/admin/open-admin.ts";
import type { Stack } from "../../open-stack.ts";

/** Colleagues, an open invitation, tokens, a few who opted out, and one who was forgotten. */
export async function addPeople({ admin, sql }: Stack, client: AdminClient, accountId: string): Promise<void> {
  await addMember(admin, client, "operator", "oscar@beanandleaf.example");
  await addMember(admin, client, "viewer", "vera@beanandleaf.example");
  await client.users.invite.mutate({ email: "nora@beanandleaf.example", role: "operator" });
  await client.tokens.create.mutate({ name: "Nightly export", role: "viewer" });
  await client.tokens.create.mutate({
    name: "Warehouse screen",
    role: "operator",
    expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  });
  const optedOut = [
    ["+4915112345678", "marketing", "preference", null],
    ["+447700900123", "marketing", "callback", "131050"],
    ["+33612345999", "all", "callback", "130403"],
  ] as const;
  for (const [phone, scope, source, code] of optedOut) {
    const at = new Date(Date.now() - optedOut.findIndex(([each]) => each === phone) * 200_000_000);
    await sql`
      insert into opt_out (id, account_id, phone_hash, phone, scope, source, code, active, since, told_at)
      values (${idAt(at.getTime())}, ${accountId}, ${`digest of ${phone}`}, ${phone}, ${scope}, ${source}, ${code}, true, ${at}, ${at})`;
  }
  await client.people.erase.mutate({ phone: "+4915100000042" });
}
