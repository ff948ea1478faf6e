import type { RefusedBecause } from "../refused.ts";
import { english, type Write } from "../wording.ts";
import { countRefused } from "./proof.ts";

/** The conditions that operators are alerted of. */
export const alertKinds = [
  "platform_stopped",
  "template_refused",
  "failure_rate",
  "site_silent",
  "backlog",
  "endpoint_disabled",
  "secret_unreadable",
  "requests_refused",
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** The details of a condition, by its kind. They hold nothing of a payload or a person. */
export interface AlertDetails {
  platform_stopped: { code: string; reason: string };
  template_refused: { name: string; language: string; status: "rejected" | "paused" | "disabled"; reason: string | null };
  /** `usualPercent`: null before there is a history. `more`: there are messages that were not looked at. */
  failure_rate: { percent: number; usualPercent: number | null; failed: number; total: number; more?: boolean };
  site_silent: { name: string; lastEventAt: string };
  backlog: { minutes: number };
  endpoint_disabled: { host: string; site: string; siteId: string; because: "gone" | "failing" };
  secret_unreadable: { of: "site" | "platform" | "dataKey"; name: string | null };
  /** `more`: there may be others. */
  requests_refused: {
    name: string;
    count: number;
    more: boolean;
    because: RefusedBecause;
    explanation: { text: string; action: string };
    lastAt: string;
  };
}

/** A condition: its kind, its subject, and the known details. */
export type Condition = { [K in AlertKind]: { kind: K; subject: string; detail: AlertDetails[K] } }[AlertKind];

export interface AlertWords {
  /** The fault, as a sentence without its full stop. */
  title: string;
  /** The advice on what to do. */
  advice: string;
  /** The page of the dashboard where people can act. */
  path: string;
}

type Describe<K extends AlertKind> = (detail: AlertDetails[K], subject: string, t: Write) => AlertWords;

const describe: { [K in AlertKind]: Describe<K> } = {
  platform_stopped: ({ code, reason }, _, t) => ({
    title: t("WhatsApp accepts no messages from this account ({error})", { error: reason === "" ? code : `${code}: ${reason}` }),
    advice: t("Messages wait or fail until this is fixed. Check the account in Meta Business Manager, then test the connection."),
    path: "/settings/platform",
  }),
  template_refused: ({ name, language, status, reason }, id, t) => ({
    title: refusals[status](t, `${name} (${language})`) + (reason === null || reason === "" ? "" : `: ${reason}`),
    advice: t("Messages with this template fail. Change it and submit it again, or use another template in the binding."),
    path: `/templates/${id}`,
  }),
  failure_rate: ({ percent, usualPercent, failed, total, more = false }, _, t) => ({
    title:
      usualPercent === null
        ? t("{failed}{more} of the last hour's {total}{more} messages failed", { failed, total, more: more ? "+" : "" })
        : t("{percent} % of the last hour's messages failed ({failed}{more} of {total}{more}); usually {usualPercent} %", {
            percent,
            failed,
            total,
            usualPercent,
            more: more ? "+" : "",
          }),
    advice: t("The log shows why each message failed."),
    path: "/log?status=failed",
  }),
  site_silent: ({ name, lastEventAt }, id, t) => ({
    title: t("No event has arrived from the site {name} for an unusually long time", { name }),
    advice: t(
      "The last event arrived at {lastEventAt}. Check that the shop still posts events, and look at the refused requests on the site's page.",
      {
        lastEventAt,
      },
    ),
    path: `/sites/${id}`,
  }),
  backlog: ({ minutes }, _, t) => ({
    title: t("Messages that are due have waited for {minutes} minutes", { minutes }),
    advice: t("Check the queue on the overview: the pace may be too low, or no gateway is running."),
    path: "/",
  }),
  endpoint_disabled: ({ host, site, siteId, because }, _, t) => ({
    title:
      because === "gone"
        ? t("The endpoint at {host} of the site {site} is switched off because it answered 410 Gone", { host, site })
        : t("The endpoint at {host} of the site {site} is switched off because it accepted nothing for five days", { host, site }),
    advice: t("It gets no requests until you switch it on again. You can then replay failed deliveries on the Webhooks page."),
    path: `/sites/${siteId}`,
  }),
  secret_unreadable: ({ of, name }, id, t) => ({
    title: unreadable[of](t, name ?? ""),
    advice: t("Events are refused with 503 meanwhile. Start the servers with the right MASTER_KEY, or enter the secret again."),
    path: of === "site" ? `/sites/${id}` : "/settings/platform",
  }),
  requests_refused: ({ name, explanation: { text, action }, ...measure }, id, t) => ({
    title: t("The site {name} refused {requests}: {reason}", { name, requests: countRefused(measure, t), reason: text.replace(/\.$/, "") }),
    advice: action,
    path: `/sites/${id}`,
  }),
};

const refusals: Record<AlertDetails["template_refused"]["status"], (t: Write, template: string) => string> = {
  rejected: (t, template) => t("The template {template} is rejected", { template }),
  paused: (t, template) => t("The template {template} is paused", { template }),
  disabled: (t, template) => t("The template {template} is disabled", { template }),
};

const unreadable: Record<AlertDetails["secret_unreadable"]["of"], (t: Write, site: string) => string> = {
  site: (t, site) => t("A secret of the site {site} cannot be read", { site }),
  platform: (t) => t("WhatsApp's credentials cannot be read"),
  dataKey: (t) => t("The key of the encrypted payloads cannot be read"),
};

export const describeAlert = <K extends AlertKind>(kind: K, detail: AlertDetails[K], subject: string, t: Write = english): AlertWords =>
  describe[kind](detail, subject, t);

/** The bounds that an owner may set, and the unit of each. */
export const alertBounds = {
  failure_rate: { least: 1, most: 100, usual: 10, unit: "percent" },
  backlog: { least: 1, most: 1_440, usual: 10, unit: "minutes" },
} as const;

export const boundOf = (kind: AlertKind) => (kind === "failure_rate" || kind === "backlog" ? alertBounds[kind] : null);

export interface AlertSwitch {
  enabled: boolean;
  /** Null if the condition has none. */
  bound: number | null;
}

export type AlertSwitches = Record<AlertKind, AlertSwitch>;

/** An account's settings; a kind or member that is absent has its default. */
export type SetSwitches = Partial<Record<AlertKind, { enabled?: boolean | undefined; bound?: number | undefined }>>;

export const switchesOf = (set: SetSwitches): AlertSwitches =>
  Object.fromEntries(
    alertKinds.map((kind) => [kind, { enabled: set[kind]?.enabled ?? true, bound: set[kind]?.bound ?? boundOf(kind)?.usual ?? null }]),
  ) as AlertSwitches;

export const channelKinds = ["email", "slack", "webhook"] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The body of a request to an operational webhook. */
export interface AlertBody {
  type: "alert.raised" | "alert.cleared" | "alert.test";
  id: string;
  account_id: string;
  condition: AlertKind;
  title: string;
  /** The page on which to act. */
  url: string;
  detail: object;
  /** ISO 8601, UTC. */
  raised_at: string;
  cleared_at: string | null;
}
