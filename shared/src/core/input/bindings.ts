import { z } from "zod";
import { recipientSchema } from "../recipient.ts";
import { templateStatuses } from "../template/definition.ts";
import { rule } from "../wording.ts";
import { conditionsSchema, scheduleMembers, variableMapSchema } from "./binding-members.ts";
import { eventFilterSchema } from "./log.ts";
import { templateChangesShape } from "./templates.ts";
import {
  endSchema,
  eventNameSchema,
  idSchema,
  idsSchema,
  instantSchema,
  listMembers,
  payloadSchema,
  searchSchema,
  tooLong,
  versionMember,
} from "./values.ts";

export const createBindingInput = z.strictObject({
  siteId: idSchema,
  event: eventNameSchema,
  templateId: idSchema,
  recipient: recipientSchema,
  variableMap: variableMapSchema,
  conditions: conditionsSchema.nullish(),
  ...scheduleMembers,
  enabled: z.boolean().optional(),
});

export const updateBindingInput = createBindingInput.partial().extend({ id: idSchema, ...versionMember });

/** One change to several bindings. `copy` and `move` go to another site; a copy has the original's `enabled` unless given. */
export const changeManyBindingsInput = z.discriminatedUnion("action", [
  z.strictObject({ action: z.enum(["enable", "disable", "delete"]), ids: idsSchema }),
  z.strictObject({ action: z.literal("move"), ids: idsSchema, siteId: idSchema }),
  z.strictObject({ action: z.literal("copy"), ids: idsSchema, siteId: idSchema, enabled: z.boolean().optional() }),
  z.strictObject({ action: z.literal("setTemplate"), ids: idsSchema, templateId: idSchema }),
]);

export const listBindingsInput = z
  .strictObject({
    siteId: idSchema.optional(),
    event: eventFilterSchema.optional(),
    templateId: idSchema.optional(),
    /** A part of a field's path, or of a helper's name, that a variable, condition, recipient or time uses. */
    field: searchSchema.optional(),
    ...listMembers,
  })
  .prefault({});

export const previewBindingInput = createBindingInput.omit({ enabled: true }).extend({ payload: payloadSchema });

/** A binding as it would be made, or with an `id`, in the place of that one; or the removal of one. */
const proposedBinding = z.discriminatedUnion("delete", [
  createBindingInput.extend({ siteId: idSchema.optional(), id: idSchema.optional(), delete: z.literal(false).optional() }),
  z.strictObject({ id: idSchema, delete: z.literal(true) }),
]);

/** The most events that one call plans. */
export const mostPast = 100_000;

/** Plans a site's stored events from `from` to before `to` with other bindings. `limit`: the most samples. */
export const planBindingsInput = z
  .strictObject({
    siteId: idSchema,
    bindings: z.array(proposedBinding).max(200),
    from: instantSchema,
    to: endSchema,
    limit: z.int().min(1).max(100).default(100),
    /** True for the events and the messages of these bindings alone. */
    only: z.boolean().default(false),
  })
  .refine(({ from, to }) => from <= to, { path: ["from"], error: rule("Must not be after its end") })
  .superRefine(({ bindings }, context) => {
    const seen = new Set<string>();
    bindings.forEach(({ id }, index) => {
      if (id !== undefined && seen.has(id))
        context.addIssue({ code: "custom", path: ["bindings", index, "id"], input: id, message: rule("Stands in the list twice") });
      if (id !== undefined) seen.add(id);
    });
  });

/** The earlier events of a backfill: those of the binding's name since a time. */
export const backfillPreviewInput = z.strictObject({ id: idSchema, since: instantSchema });

/** `requestId` is made by the client; a repeated call with it requests nothing more. */
export const backfillInput = backfillPreviewInput.extend({ requestId: idSchema });

export const listBackfillsInput = z.strictObject({ bindingId: idSchema, ...listMembers });

/** The most templates of one page of the list. */
const mostUsages = 200;

export const listTemplatesInput = z
  .strictObject({
    status: z.enum(templateStatuses).optional(),
    /** Part of the name or of the body, in any case. */
    search: searchSchema.optional(),
    /** The templates that the platform made of messages without one, which are hidden else. */
    source: z.literal("AUTO_GENERATED").optional(),
    ...listMembers,
  })
  .prefault({});

export const templateUsageInput = z.strictObject({ ids: z.array(idSchema).min(1).max(mostUsages) });

/** The file of a media header: by its address, or by the id of an uploaded one. */
export const setHeaderMediaInput = z.strictObject({
  id: idSchema,
  url: z.string().max(2_200, tooLong(2_200)).optional(),
  fileId: idSchema.optional(),
  ...versionMember,
});

/** Changes to a template. The changed template must pass `templateInputSchema`. */
export const updateTemplateInput = templateChangesShape.extend({ id: idSchema, ...versionMember });
