import { compileConditions } from "../core/conditions.ts";
import { defaultApiVersion } from "../core/input/settings.ts";
import type { BindingToPlan, TemplateToSend } from "../core/plan.ts";
import { compileSchedule } from "../core/schedule/due.ts";
import type { PhoneMode, SiteMode, SourceType } from "../core/site.ts";
import type { TopicMap } from "../core/sources/sources.ts";
import type { BindingRow } from "./binding.ts";
import { eventOfMacs } from "./event/answer.ts";
import { type MarketingRoute, probeAt } from "./platform-account.ts";
import { type RowOf, type Sql, columns, of } from "./statement.ts";

/** How the site takes what its shop posts. */
interface StoredInbound {
  token: string;
  sourceType: SourceType;
  /** The shop's URL, as the operator entered it. */
  url: string;
  topicMap: TopicMap;
  /** Whether a request with a valid signature has come, and whether the shop has tried the address. */
  isConnected: boolean;
  isPinged: boolean;
}

interface StoredKey {
  id: string;
  /** The hash in hex. */
  key_hash: string;
  /** Unix milliseconds; null for the current ones. */
  expires_at: number | null;
}

interface StoredSiteSecret {
  id: string;
  kind: "webhook_secret" | "source_secret";
  /** Encrypted. */
  secret: string;
  expires_at: number | null;
}

interface PlatformForIngest {
  waba_id: string;
  phone_number_id: string;
  api_version: string;
  /** Encrypted. */
  access_token: string;
  stopped_code: string | null;
  /** Seconds until a message may be tried again after a stop, by the database's clock; 0 or less when due. */
  probe_in: number;
  /** Whether its messages wait meanwhile. */
  stop_waits: boolean;
  /** The same for a number that the platform limits; null while it does not. */
  limited_probe_in: number | null;
  marketing_route: MarketingRoute;
  /** Seconds until the number's limit is read again, while it is reached. */
  full_in: number | null;
}

interface StoredBinding extends Pick<BindingRow, "id" | "event" | "recipient" | "variable_map" | "conditions" | "schedule"> {
  /** When it was made or changed last. */
  updated_at: string;
  template: TemplateToSend & { category: string };
}

const expiresAtMs = "floor(extract(epoch from k.expires_at) * 1000)";
const keys = `(select coalesce(json_agg(json_build_object('id', k.id, 'key_hash', encode(k.key_hash, 'hex'), 'expires_at', ${expiresAtMs}) order by k.expires_at desc), '[]')
  from site_secret k where k.site_id = s.id and k.kind = 'api_key')`;
const secrets = `(select coalesce(json_agg(json_build_object('id', k.id, 'kind', k.kind, 'secret', k.secret, 'expires_at', ${expiresAtMs}) order by k.expires_at desc), '[]')
  from site_secret k where k.site_id = s.id and k.kind in ('webhook_secret', 'source_secret'))`;
const ownPlatform = `(select json_build_object('waba_id', p.waba_id, 'phone_number_id', p.phone_number_id, 'api_version', p.api_version,
    'access_token', p.access_token, 'stopped_code', p.stopped_code, 'probe_in', coalesce(extract(epoch from ${probeAt("p")} - now()), 0), 'stop_waits', p.stop_waits, 'marketing_route', p.marketing_route,
    'limited_probe_in', case when p.limited_number = p.phone_number_id then extract(epoch from p.limited_probe_after - now()) end,
    'full_in', (select extract(epoch from h.full_until - now()) from platform_health h where h.account_id = p.account_id and h.full_until > now()))
  from platform_account p where p.account_id = s.account_id)`;
/** The account's own platform decides nothing of a test site, which has the sandbox. */
const platform = `case when s.mode = 'live' then ${ownPlatform} else (select json_build_object('waba_id', c.waba_id, 'phone_number_id', c.phone_number_id,
    'api_version', '${defaultApiVersion}', 'access_token', c.access_token, 'stopped_code', null, 'probe_in', 0, 'stop_waits', false,
    'marketing_route', 'messages', 'limited_probe_in', null, 'full_in', null)
  from test_connection c where c.account_id = s.account_id) end`;
const inbound = `json_build_object('token', s.inbound_token, 'sourceType', s.source_type, 'url', s.url, 'topicMap', s.topic_map,
  'isConnected', s.connected_at is not null, 'isPinged', s.pinged_at is not null)`;
const activePhones = "(select coalesce(json_agg(r.phone order by r.id), '[]') from site_recipient r where r.site_id = s.id and r.active)";
const bindings = `(select coalesce(json_agg(json_build_object('id', b.id, 'updated_at', b.updated_at, 'event', b.event, 'recipient', b.recipient, 'variable_map', b.variable_map, 'conditions', b.conditions, 'schedule', b.schedule,
    'template', json_build_object('id', t.id, 'name', t.name, 'language', t.language, 'status', t.status, 'category', t.category, 'definition', t.definition,
      'boundShape', b.template_shape))
    order by b.id), '[]')
  from binding b join template t on t.id = b.template_id where b.site_id = s.id and b.enabled)`;
const cancelRules = `(select coalesce(json_agg(json_build_object('id', b.id, 'events', b.schedule #> '{cancelOn,events}', 'by', b.schedule #> '{cancelOn,by}') order by b.id), '[]')
  from binding b where b.site_id = s.id and b.schedule ? 'cancelOn')`;

/** SQL: names the present configuration of `site s` and of its `account a`. */
export const configName = "concat_ws(' ', s.id, s.config_version, a.id, a.config_version)";

/** The columns of `site s` joined with `account a`. */
const siteForIngestColumns = columns(
  {
    ...of.texts("id", "accountId"),
    /** What a test site sends goes to the sandbox, which `platform` then stands for. */
    mode: of<SiteMode>(),
    accountVersion: of<string>({ read: "a.config_version::text" }),
    /** Changes with every version of the site's configuration and of its account's. */
    config: of<string>({ read: configName }),
    ...of.each(of<boolean>(), "enabled", "requireTimestamp", "requireSignedTimestamp"),
    rateLimitPerSecond: of<number | null>(),
    /** True while the site's messages wait. */
    holdMessages: of<boolean>(),
    testPhone: of<string | null>(),
    /** The country (ISO 3166-1 alpha-2) of phones without a country code. */
    country: of<string | null>(),
    normalizePhones: of<PhoneMode>(),
    inbound: of<StoredInbound>({ read: inbound }),
    /** Whether signatures are tied to the door that they came through, perhaps from when the site was another shop's. */
    hasMacs: of<boolean>({ read: `exists (select from idempotency i where i.site_id = s.id and i.event = '${eventOfMacs}')` }),
    /** Keys and secrets, perhaps with expired ones. */
    keys: of<StoredKey[]>({ read: keys }),
    secrets: of<StoredSiteSecret[]>({ read: secrets }),
    timezone: of<string>({ read: "a.timezone" }),
    /** The pace of the platform's number; null: not paced. */
    messagesPerSecond: of<number | null>({ read: "case when s.mode = 'live' then a.messages_per_second end" }),
    /** How long messages are tried again, and whether also those whose event is answered. */
    retryHours: of<number>({ read: "a.retry_hours" }),
    retryAfterAnswer: of<boolean>(),
    /** Whether somebody has opted out of the account's messages. */
    hasOptOuts: of<boolean>({ read: "a.has_opt_outs" }),
    /** Whether endpoints are told of its messages' statuses. */
    hasWebhooks: of<boolean>({ read: "exists (select from webhook w where w.site_id = s.id and w.enabled)" }),
    encryptPayloads: of<boolean>({ read: "a.encrypt_payloads" }),
    /** Encrypted. */
    dataKey: of<string | null>({ read: "a.data_key" }),
    platform: of<PlatformForIngest | null>({ read: platform }),
    activePhones: of<string[]>({ read: activePhones }),
    bindings: of<StoredBinding[]>({ read: bindings }),
    /** Also those of disabled bindings, whose waiting messages can be cancelled. */
    cancelRules: of<{ id: string; events: string[]; by: string }[]>({ read: cancelRules }),
  },
  "s",
);

/** The configuration of a site for ingest, read in one snapshot with its two versions. */
export type SiteForIngestRow = RowOf<typeof siteForIngestColumns>;

type BindingForIngest = Pick<StoredBinding, "id" | "recipient" | "variable_map" | "conditions" | "schedule"> &
  Partial<Pick<StoredBinding, "updated_at">> & { template: TemplateToSend };

/** A binding in the form that events are planned with. `timezone` is the account's. */
export const toBindingToPlan = (
  { id, updated_at: version, recipient, variable_map: variableMap, conditions, schedule, template }: BindingForIngest,
  timezone: string,
): BindingToPlan => ({
  id,
  version,
  recipient,
  variableMap,
  template,
  conditions: conditions && compileConditions(conditions),
  schedule: schedule && compileSchedule(schedule, timezone),
});

/** The configuration of the sites among `ids`, also of disabled ones, not of deleted ones. */
export const loadSitesForIngest = async (sql: Sql, ids: string[]): Promise<SiteForIngestRow[]> =>
  await sql<SiteForIngestRow[]>`
    select ${siteForIngestColumns.read(sql)} from site s join account a on a.id = s.account_id
    where s.id = any(${ids}::uuid[]) and s.deleted_at is null`;

/** The sites of these inbound addresses, without deleted ones; `id` null: of a site that has moved to another installation. */
export const findSitesOfTokens = (sql: Sql, tokens: string[]) =>
  sql<{ id: string | null; token: string }[]>`
    select id, inbound_token as token from site where inbound_token = any(${tokens}::text[]) and deleted_at is null
    union all select null, given.token from unnest(${tokens}::text[]) as given(token)
    where (select true from moved_token m where m.digest = sha256(convert_to(given.token, 'UTF8')))`;

/** How many of `wanted` requests a site may still accept this second, over all gateways. Sites are locked in the order of their ids. */
export async function takeSiteRates(sql: Sql, wanted: { site_id: string; allowed: number; wanted: number }[]) {
  const rows = await sql<{ site_id: string; granted: number }[]>`
    select w.site_id, take_site_rate(w.site_id, w.allowed, w.wanted) as granted
    from (
      select site_id, allowed, wanted
      from json_to_recordset(${JSON.stringify(wanted)}::text::json) as r(site_id uuid, allowed integer, wanted integer)
      order by site_id
    ) w`;
  return new Map(rows.map((row) => [row.site_id, row.granted]));
}
