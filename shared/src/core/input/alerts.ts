import { z } from "zod";
import { alertBounds, type AlertKind } from "../alert/alert.ts";
import { problemKinds } from "../problem/problem.ts";
import { rule } from "../wording.ts";
import { windowSchema } from "./binding-members.ts";
import { atMost, clientIdMember, emailSchema, idSchema, nameSchema, versionMember, webAddress } from "./values.ts";

const enabled = z.boolean().optional();
const plain = z.strictObject({ enabled }).optional();

function bounded(kind: "failure_rate" | "backlog") {
  const { least, most } = alertBounds[kind];
  const [tooSmall, tooLarge] =
    kind === "failure_rate"
      ? [rule("Must be at least {least} percent", { least }), rule("Must be at most {most} percent", { most })]
      : [rule("Must be at least {least} minutes", { least }), rule("Must be at most {most} minutes", { most })];
  const bound = z.int(rule("Must be a whole number")).min(least, tooSmall).max(most, tooLarge);
  return z.strictObject({ enabled, bound: bound.optional() }).optional();
}

const switches = z.strictObject({
  platform_stopped: plain,
  template_refused: plain,
  failure_rate: bounded("failure_rate"),
  site_silent: plain,
  backlog: bounded("backlog"),
  endpoint_disabled: plain,
  secret_unreadable: plain,
  requests_refused: plain,
} satisfies Record<AlertKind, unknown>);

const quietHours = windowSchema.refine(({ days, from, to }) => days.length < 7 || from !== "00:00" || to !== "24:00", {
  path: ["to"],
  message: rule("Must leave a time at which alerts are sent; to get no alerts, switch the channels off"),
});

/** Members that are left out keep their values; `quietHours: null` ends the quiet hours. */
export const updateAlertsInput = z
  .strictObject({
    ...versionMember,
    conditions: switches.optional(),
    quietHours: quietHours.nullish(),
    /** True to tell of a stopped platform account in quiet hours too. */
    urgentAlways: z.boolean().optional(),
    /** True to mail the week's figures to the e-mail channels, once a week. */
    weekly: z.boolean().optional(),
  })
  .prefault({});

const url = webAddress(rule("Must be an address like https://hooks.example.com/…"));

const longestName = 80;
const channelName = nameSchema.max(longestName, atMost(longestName));
/** What the channel is told of; all kinds but those that are told only where they are chosen, unless given. */
const kinds = z.array(z.enum(problemKinds)).min(1).max(problemKinds.length);
/** Without a name a channel has that of its kind. */
const named = { name: channelName.optional(), kinds: kinds.optional(), ...clientIdMember };

export const addChannelInput = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("email"), address: emailSchema, ...named }),
  z.strictObject({ kind: z.literal("slack"), url, ...named }),
  z.strictObject({ kind: z.literal("teams"), url, ...named }),
  z.strictObject({
    kind: z.literal("pagerduty"),
    /** The integration key of a service: Events API v2. */
    routingKey: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9]{32}$/u, rule("Must be the service's integration key: 32 letters and digits")),
    ...named,
  }),
  z.strictObject({ kind: z.literal("webhook"), url, ...named }),
]);

/** `kinds: null`: the usual ones again. */
export const updateChannelInput = z.strictObject({
  id: idSchema,
  enabled: z.boolean().optional(),
  name: channelName.optional(),
  kinds: kinds.nullish(),
  ...versionMember,
});

/** The token of the mailed link. */
export const confirmChannelInput = z.strictObject({ token: z.string().trim().max(200) });
