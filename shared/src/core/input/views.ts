import { z } from "zod";
import { eventOutcomes } from "../event.ts";
import { groupings, notificationStatuses, optOutScopes, optOutSources } from "../message.ts";
import { roles } from "../role.ts";
import { longestViewName, viewLists, type ViewMember, viewPeriods } from "../saved-view.ts";
import { siteModes, sourceTypes } from "../site.ts";
import { templateStatuses } from "../template/definition.ts";
import { deliveryStatuses, webhookTypes } from "../webhook.ts";
import { rule } from "../wording.ts";
import { eventFilterSchema } from "./log.ts";
import { atMost, dayOrTimeSchema, idSchema, listMembers, nameSchema, searchSchema, versionMember } from "./values.ts";

const longestFilter = 2_000;

/** Search parameters of a list's page. `period` stands in place of `from` and `to` if they are a usual one. */
const viewFilterMembers = {
  siteId: idSchema.optional(),
  siteMode: z.enum(siteModes).optional(),
  sourceType: z.enum(sourceTypes).optional(),
  search: searchSchema.optional(),
  event: eventFilterSchema.optional(),
  template: searchSchema.optional(),
  templateId: idSchema.optional(),
  /** A part of the path of a field. */
  field: searchSchema.optional(),
  /** Of a message, a delivery or a template. */
  status: z.enum([...notificationStatuses, ...deliveryStatuses, ...templateStatuses]).optional(),
  errorCode: searchSchema.optional(),
  webhookId: idSchema.optional(),
  type: z.enum(webhookTypes).optional(),
  /** Of a problem, an operation or a site, then those of the audit. */
  state: searchSchema.optional(),
  kind: searchSchema.optional(),
  actor: searchSchema.optional(),
  action: searchSchema.optional(),
  /** Of an opt-out. */
  scope: z.enum(optOutScopes).optional(),
  source: z.enum(optOutSources).optional(),
  /** Of an access token. */
  role: z.enum(roles).optional(),
  outcome: z.enum(eventOutcomes).optional(),
  unreached: searchSchema.optional(),
  test: z.boolean().optional(),
  dryRun: z.boolean().optional(),
  by: z.enum(groupings).optional(),
  /** The columns that are shown, joined by dots. */
  columns: searchSchema.optional(),
  period: z.enum(viewPeriods).optional(),
  /** Days, `YYYY-MM-DD`, or ISO 8601 instants. */
  from: dayOrTimeSchema.optional(),
  to: dayOrTimeSchema.optional(),
} satisfies Record<ViewMember, z.ZodType>;

const viewFilterSchema = z.strictObject(viewFilterMembers);
export type ViewFilter = z.output<typeof viewFilterSchema>;

const filterSchema = viewFilterSchema
  .transform((filter): ViewFilter => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)))
  .refine((filter) => Object.keys(filter).length > 0, rule("Needs at least one filter"))
  .refine(
    (filter) => JSON.stringify(filter).length <= longestFilter,
    rule("Has at most {most} characters as JSON", { most: longestFilter }),
  )
  .refine(({ period, from, to }) => period === undefined || (from ?? to) === undefined, rule("Give period, or from and to"));

const viewNameSchema = nameSchema.max(longestViewName, atMost(longestViewName));

export const listViewsInput = z.strictObject({ list: z.enum(viewLists).optional(), ...listMembers }).prefault({});

export const createViewInput = z.strictObject({ list: z.enum(viewLists), name: viewNameSchema, filter: filterSchema });

export const updateViewInput = z.strictObject({
  id: idSchema,
  name: viewNameSchema.optional(),
  filter: filterSchema.optional(),
  ...versionMember,
});
