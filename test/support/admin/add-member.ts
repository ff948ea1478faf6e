import type { Role } from "shared/core/role";
import { password, type AdminClient, type OpenAdmin } from "./open-admin.ts";

/** One more user of the owner's account, by invitation. */
export async function addMember(admin: Pick<OpenAdmin, "client">, owner: AdminClient, role: Role, email: string) {
  const invitation = await owner.users.invite.mutate({ email, role });
  const { token, user } = await admin.client().users.acceptInvite.mutate({ token: invitation.token, name: `The ${role}`, password });
  return { email, token, user, client: admin.client(token) };
}
