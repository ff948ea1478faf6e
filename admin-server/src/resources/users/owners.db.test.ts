import { afterAll, beforeAll, expect, it } from "vitest";
import { addMember } from "../../../../test/support/admin/add-member.ts";
import { openAdmin, openAdminOn, type OpenAdmin } from "../../../../test/support/admin/open-admin.ts";

let admin: OpenAdmin;
let another: Awaited<ReturnType<typeof openAdminOn>>;
beforeAll(async () => {
  admin = await openAdmin();
  another = await openAdminOn(admin.databaseUrl);
});
afterAll(async () => {
  await another[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
});

it("owners who take each other's role at once, at two servers, leave exactly one", async () => {
  for (let round = 0; round < 8; round += 1) {
    const first = await admin.signUp();
    const second = await addMember(admin, first.client, "owner", `second-${round}@example.com`);
    const steps = [
      async () => first.client.users.setRole.mutate({ id: second.user.id, role: "viewer" }),
      async () => another.client(second.token).users.setRole.mutate({ id: first.user.id, role: "viewer" }),
      async () => another.client(second.token).users.remove.mutate({ id: second.user.id }),
    ];
    await Promise.allSettled(steps.map(async (step) => step()));
    const owners = await admin.sql`
      select id from app_user where role = 'owner' and account_id = (select account_id from app_user where id = ${first.user.id})`;
    expect([round, owners.length]).toEqual([round, 1]);
  }
});
