import { z } from "zod";
import { canonical } from "../json.ts";
import { recipientSchema } from "../recipient.ts";
import { rule } from "../wording.ts";
import { createBindingInput } from "./bindings.ts";
import { updateSettingsInput } from "./settings.ts";
import { addRecipientInput, createSiteInput, updateSiteInput } from "./sites.ts";
import { templateInputSchema } from "./templates.ts";
import { idSchema, nameSchema } from "./values.ts";
import { createWebhookInput } from "./webhooks.ts";

/** The most of one list of a set-up. */
const most = 1_000;

const bindingSchema = createBindingInput.omit({ siteId: true, templateId: true, recipient: true }).extend({
  /** By name and language, since ids differ between accounts. */
  template: z.string().max(600),
  language: z.string().max(100),
  recipient: recipientSchema,
});

/** The members of a set-up's binding. */
export const bindingMembers: readonly (keyof SetupBinding)[] = bindingSchema.keyof().options;

const siteSchema = updateSiteInput.omit({ id: true, ifUpdatedAt: true, sourceSecret: true, overlapSeconds: true, reconcile: true }).extend({
  name: nameSchema,
  /** Of a new site; one that exists must have it. */
  mode: createSiteInput.shape.mode,
  recipients: z
    .array(addRecipientInput.omit({ siteId: true }))
    .max(most)
    .optional(),
  webhooks: z
    .array(createWebhookInput.omit({ siteId: true }))
    .max(most)
    .optional(),
  bindings: z.array(bindingSchema).max(most).optional(),
});

const settingsSchema = updateSettingsInput
  .unwrap()
  .pick({ timezone: true, retention: true, messagesPerSecond: true, retryHours: true, optOut: true });

/** The set-up of an account as a file holds it: no ids, no secrets. What is absent is left as it is. */
export const setupSchema = z
  .strictObject({
    version: z.literal(1),
    /** True in the set-up of one site: what it does not name is not even removed with `prune`. */
    part: z.boolean().optional(),
    settings: settingsSchema.optional(),
    /** Drafts; those that were submitted are the platform's. */
    templates: z.array(templateInputSchema).max(most).optional(),
    sites: z.array(siteSchema).max(500).optional(),
  })
  .superRefine(refuseTwins);

export type Setup = z.output<typeof setupSchema>;
export type SetupSite = NonNullable<Setup["sites"]>[number];
export type SetupBinding = NonNullable<SetupSite["bindings"]>[number];

/** What a binding of a site is known by: all but its map and whether it is on. */
export function bindingKey(binding: SetupBinding): string {
  const { variableMap: _, enabled: __, ...rest } = binding;
  return canonical(rest);
}

export const templateKey = ({ name, language }: { name: string; language: string }): string => `${name} (${language})`;

function refuseTwins({ templates = [], sites = [] }: Setup, context: z.RefinementCtx): void {
  const refuse = (list: (string | number)[], keys: string[]): void => {
    const seen = new Set<string>();
    keys.forEach((key, index) => {
      if (!seen.has(key)) return void seen.add(key);
      context.addIssue({ code: "custom", path: [...list, index], input: key, message: rule("Stands in the list twice") });
    });
  };
  refuse(["templates"], templates.map(templateKey));
  refuse(
    ["sites"],
    sites.map(({ name }) => name),
  );
  for (const [index, { recipients = [], webhooks = [], bindings = [] }] of sites.entries()) {
    const at = ["sites", index];
    refuse(
      [...at, "recipients"],
      recipients.map(({ phone }) => phone),
    );
    refuse(
      [...at, "webhooks"],
      webhooks.map(({ url }) => url),
    );
    refuse([...at, "bindings"], bindings.map(bindingKey));
  }
}

/** `siteId`: only what belongs to that site. */
export const exportSetupInput = z.strictObject({ siteId: idSchema.optional() }).prefault({});

/** The set-up within a call: its many lists are read as one value, which the size of a call bounds. */
const setupValue = z
  .custom<z.input<typeof setupSchema>>()
  .meta(z.toJSONSchema(setupSchema, { io: "input", unrepresentable: "any" }) as Record<string, unknown>)
  .transform((input, context): Setup => {
    const read = setupSchema.safeParse(input);
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.addIssue({ ...issue, input } as Parameters<typeof context.addIssue>[0]);
    return z.NEVER;
  });

/** Where a site's set-up goes: to another site of the account, or to one of another installation, by a token of it. */
const copyTarget = z.union([
  z.strictObject({ siteId: idSchema }),
  z.strictObject({
    url: z
      .url({ protocol: /^https?$/, error: rule("Must be an address like {example}", { example: "https://tidings.example" }) })
      .max(2048),
    token: z.string().regex(/^[!-~]{1,200}$/u, rule("Must be an access token of that installation")),
    /** Its name or id. */
    site: nameSchema,
  }),
]);

const plannedSchema = z.string().max(100).optional();

/** `apply`: makes the changes; without it they are only told. `planned`: of the plan that was shown, which must still be the one. */
export const copySetupInput = z.strictObject({
  siteId: idSchema,
  to: copyTarget,
  prune: z.boolean().default(false),
  apply: z.boolean().default(false),
  planned: plannedSchema,
});

/** `prune`: what the set-up lacks is removed. */
export const applySetupInput = z.strictObject({ setup: setupValue, prune: z.boolean().default(false), planned: plannedSchema });
