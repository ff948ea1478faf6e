import { afterAll, beforeAll, expect, it } from "vitest";
import { openBoundShop } from "../../test/support/admin-shops.ts";
import { openAdmin, type OpenAdmin, openResources, type OpenResources } from "../../test/support/admin.ts";

let resources: OpenResources;
let admin: OpenAdmin;
beforeAll(async () => {
  [resources, admin] = await Promise.all([openResources(), openAdmin()]);
});
afterAll(async () => {
  await Promise.all([resources[Symbol.asyncDispose](), admin[Symbol.asyncDispose]()]);
});

it("an account has at most 5,000 bindings, and learns what to do", async () => {
  const { api, siteId, templateId, base } = await openBoundShop(resources);
  await resources.sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, enabled)
    select gen_random_uuid(), ${siteId}, 'event.' || n, ${templateId}, '{"strategy":"customer"}', '{}', true from generate_series(1, 4999) n`;
  const { binding } = await api.bindings.create(base);
  const further = api.bindings.create({ ...base, event: "further" });
  await expect(further).rejects.toThrow("An account has at most 5000 bindings: delete those that are not used");
  await api.bindings.delete({ id: binding.id });
  await api.bindings.create({ ...base, event: "further" });
});

it("an account can have at most ten uploads at a time; an interrupted one counts for an hour", async () => {
  const { token, user } = await admin.signUp();
  const headers = { authorization: `Bearer ${token}`, "content-type": "image/png" };
  const upload = async () => admin.fetch("/media", { method: "POST", headers, body: Buffer.from("89504e470d0a1a0a", "hex") });
  await admin.sql`
    insert into media_file (id, account_id, name, type) select gen_random_uuid(), m.account_id, 'cut off', 'image/png'
    from membership m cross join generate_series(1, 10) where m.user_id = ${user.id}`;
  const refused = await upload();
  const error = "An account can have at most 10 uploads at a time: try again when one has ended. An interrupted upload counts for an hour";
  expect([refused.status, await refused.json()]).toEqual([429, { error, said: expect.objectContaining({ values: { most: 10 } }) }]);
  await admin.sql`update media_file set created_at = now() - interval '61 minutes' where ctid = (select ctid from media_file limit 1)`;
  expect((await upload()).status).toBe(200);
});
