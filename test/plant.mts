import { readFileSync } from "node:fs";
import postgres from "/work/w-desk40b/shared/node_modules/postgres/src/index.js";
const d = "/tmp/desk40b/data/";
const sql = postgres({
  host: "127.0.0.1",
  port: Number(readFileSync(d + "postgres-port", "utf8")),
  user: "tidings",
  password: readFileSync(d + "postgres-password", "utf8").trim(),
  database: "tidings",
  onnotice: () => {},
});
const [{ account_id }] = await sql`select account_id from opt_out limit 1`;
const [row] = await sql`select result from platform_health where account_id = ${account_id}`;
const checks = row.result.checks.map((c) =>
  c.check === "quality"
    ? { ...c, state: "warning", reason: "The quality is low.", said: { text: "The quality is low.", values: {} } }
    : c.check === "access token"
      ? { ...c, state: "failed", reason: "The token is not valid any more: create one for a system user", said: null }
      : c,
);
await sql`update platform_health set result = ${sql.json({ ...row.result, checks })} where account_id = ${account_id}`;
await sql`update site set hold_messages = true where account_id = ${account_id} and name = 'Atelier'`;
console.log(await sql`select id, name from site where account_id = ${account_id}`);
console.log(await sql`select b.id from binding b join problem p on p.subject = b.id::text where p.state = 'open' limit 3`);
await sql.end();
