import { defaultTimeLimits, type TimeLimits } from "gateway/time-limits";
import type { TemplateDefinition } from "shared/core/template/definition";
import { newId } from "shared/db/ids";
import { testDatabase, type TestDatabase } from "../../../database/test-database.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../../gateway/scripted-platform.ts";
import { masterKey, openShop, type Shop } from "../../../gateway/shop.ts";
import { type Books, openBooks } from "./books.ts";
import { type ServedApart, serveApart } from "./serve-apart.ts";

/** Who signs: an ordinary site, one that wants timestamps, one that is switched off, and one of another account. */
export const signers = ["plain", "strict", "disabled", "other"] as const;
export type Signer = (typeof signers)[number];

export interface FuzzWorld extends AsyncDisposable {
  database: TestDatabase;
  platform: ScriptedPlatform;
  gateway: ServedApart;
  books: Books;
  sites: Record<Signer, Shop>;
}

export async function openFuzzWorld(limits: Partial<TimeLimits> = {}): Promise<FuzzWorld> {
  const database = await testDatabase();
  const platform = await startScriptedPlatform();
  const plain = await openShop(database.sql);
  const [strict, disabled, other] = await Promise.all([
    openShop(database.sql, { accountId: plain.accountId }),
    openShop(database.sql, { accountId: plain.accountId }),
    openShop(database.sql),
  ]);
  await bindEverything(database, plain);
  await database.sql`update site set require_timestamp = true where id = ${strict.siteId}`;
  await database.sql`update site set enabled = false where id = ${disabled.siteId}`;
  const gateway = await serveApart({
    server: "gateway",
    masterKey: masterKey.toString("base64"),
    config: {
      host: "127.0.0.1",
      port: 0,
      databaseUrl: database.url,
      platformApiUrl: platform.url,
      publicGatewayUrl: "http://127.0.0.1",
      maxBodyBytes: 1_048_576,
      inDoubtSeconds: 120,
      logLevel: "error",
      trustProxy: false,
      timeLimits: { ...defaultTimeLimits, ...limits },
    },
  });
  return {
    database,
    platform,
    gateway,
    books: openBooks(database.sql, platform),
    sites: { plain, strict, disabled, other },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const template: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: { format: "TEXT", text: "For {{1}}" },
  body: "{{1}} has {{2}}, in lines {{3}}, for {{4}} on {{5}} at {{6}}, and {{7}} of it.",
  footer: null,
  buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" }],
  examples: { header: ["Ada"], body: ["Ada", "a", "b", "USD 1", "today", "now", "all"], buttonUrl: ["x"] },
};

const fallback = "-";
const field = (path: string) => ({ source: "field", path, fallback });
const variableMap = {
  header: { 1: { source: "expression", expr: "customer.full_name", fallback } },
  body: {
    1: field("customer.first_name"),
    2: { source: "expression", expr: "items.summary_short", fallback },
    3: { source: "expression", expr: "items.summary_lines", fallback },
    4: { source: "expression", expr: "total.with_currency", fallback },
    5: { source: "expression", expr: "date.today", fallback },
    6: { source: "expression", expr: "date.now", fallback },
    7: field("order.items.0.name"),
  },
  button_url: { 1: field("order.id") },
};

/** A binding more, which looks at everything that a payload may hold. */
async function bindEverything({ sql }: TestDatabase, { accountId, siteId }: Shop): Promise<void> {
  const templateId = newId();
  await sql`
    insert into template (id, account_id, name, language, category, status, definition)
    values (${templateId}, ${accountId}, 'everything', 'en_US', 'UTILITY', 'approved', ${sql.json(template as never)})`;
  await sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map)
    values (${newId()}, ${siteId}, 'order.created', ${templateId}, ${sql.json({ strategy: "field_path", path: "order.notify" })}, ${sql.json(variableMap)})`;
}
