import { z } from "zod";
import { eventOutcomes } from "../event.ts";
import { groupings, notificationStatuses } from "../message.ts";
import { longestViewName, type ViewFilter, viewLists, viewPeriods } from "../saved-view.ts";
import { eventFilterSchema } from "./log.ts";
import { dayOrTimeSchema, idSchema, listMembers, nameSchema, searchSchema } from "./values.ts";

const longestFilter = 2_000;

const filterSchema = z
  .strictObject({
    siteId: idSchema.optional(),
    event: eventFilterSchema.optional(),
    template: searchSchema.optional(),
    templateId: idSchema.optional(),
    field: searchSchema.optional(),
    status: z.enum(notificationStatuses).optional(),
    errorCode: searchSchema.optional(),
    outcome: z.enum(eventOutcomes).optional(),
    unreached: searchSchema.optional(),
    test: z.boolean().optional(),
    dryRun: z.boolean().optional(),
    by: z.enum(groupings).optional(),
    period: z.enum(viewPeriods).optional(),
    from: dayOrTimeSchema.optional(),
    to: dayOrTimeSchema.optional(),
  })
  .transform((filter): ViewFilter => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)))
  .refine((filter) => Object.keys(filter).length > 0, "Needs at least one filter")
  .refine((filter) => JSON.stringify(filter).length <= longestFilter, `Has at most ${longestFilter} characters as JSON`)
  .refine(({ period, from, to }) => period === undefined || (from ?? to) === undefined, "Give period, or from and to");

const viewNameSchema = nameSchema.max(longestViewName, `Has at most ${longestViewName} characters`);

export const listViewsInput = z.strictObject({ list: z.enum(viewLists).optional(), ...listMembers }).prefault({});

export const createViewInput = z.strictObject({ list: z.enum(viewLists), name: viewNameSchema, filter: filterSchema });

export const updateViewInput = z.strictObject({ id: idSchema, name: viewNameSchema.optional(), filter: filterSchema.optional() });
