import { say } from "../core/wording.ts";
import { type PlatformClient, type PlatformCredentials, PlatformError } from "./client.ts";
import { member, idMember, textMember } from "./exchange.ts";
import { request, listItems } from "./request.ts";
import { writeComponents, type PlatformTemplate, readTemplate, templateStatusOf } from "./template-json.ts";

/** Replaces all components of a template, which the platform then reviews again. Name and language stay. @throws PlatformError */
export async function editTemplate(
  client: PlatformClient,
  credentials: PlatformCredentials,
  template: Omit<TemplateToCreate, "name" | "language"> & { platformId: string },
): Promise<void> {
  const { platformId, category } = template;
  const body = { category, ...contentOf(template) };
  const answer = await request(client, credentials, { method: "POST", path: [platformId], body });
  if (member(answer, "success") === false)
    throw new PlatformError(say("The platform did not take the change and does not say why. Try again later."));
}

const short = "id,name,language,status,category,components,parameter_format,rejected_reason,quality_score";
const fields = `${short},correct_category,previous_category,sub_category,message_send_ttl_seconds,last_updated_time,source`;
const listChanged = "131059";

/**
 * Every template of the business account, each once. If the list changes meanwhile, it is read once more from the start.
 * @throws PlatformError
 */
export async function* listTemplates(client: PlatformClient, credentials: PlatformCredentials): AsyncGenerator<PlatformTemplate> {
  const given = new Set<string>();
  for (let restarted = false; ; restarted = true) {
    try {
      yield* listOnce(client, credentials, given);
      return;
    } catch (error) {
      if (restarted || !(error instanceof PlatformError) || error.facts?.code !== listChanged) throw error;
    }
  }
}

interface TemplateToCreate extends Pick<PlatformTemplate, "name" | "language" | "category" | "definition"> {
  /** See `writeComponents`. */
  headerHandle?: string | null | undefined;
  ttlSeconds?: number | null | undefined;
}

/** The members of a call that writes a template's content. */
const contentOf = ({ definition, headerHandle, ttlSeconds }: Pick<TemplateToCreate, "definition" | "headerHandle" | "ttlSeconds">) => ({
  ...(!definition.authentication && { parameter_format: definition.parameterFormat }),
  ...(typeof ttlSeconds === "number" && { message_send_ttl_seconds: ttlSeconds }),
  components: writeComponents(definition, headerHandle ?? null),
});

/**
 * Submits a template for approval; the category may differ from the requested one. Not repeated when the answer is lost: a sync then shows whether the template exists.
 * @throws PlatformError
 */
export async function createTemplate(client: PlatformClient, credentials: PlatformCredentials, template: TemplateToCreate) {
  const { name, language, category } = template;
  const body = { name, language, category, ...contentOf(template) };
  const answer = await request(client, credentials, { method: "POST", path: [credentials.wabaId, "message_templates"], body });
  const platformId = idMember(answer, "id");
  if (platformId === undefined)
    throw new PlatformError(say("The platform answered without a template id. Sync the templates to see whether it was made."));
  const status = templateStatusOf(textMember(answer, "status") ?? "PENDING");
  return { platformId, status, category: (textMember(answer, "category") ?? category).toUpperCase() };
}

/** Deletes one language of a template; the others of that name stay. @throws PlatformError */
export async function deleteTemplate(client: PlatformClient, credentials: PlatformCredentials, platformId: string, name: string) {
  const query = { hsm_id: platformId, name };
  const answer = await request(client, credentials, { method: "DELETE", path: [credentials.wabaId, "message_templates"], query });
  if (member(answer, "success") === false)
    throw new PlatformError(say("The platform did not delete the template and does not say why. Try again later."));
}

async function* listOnce(client: PlatformClient, credentials: PlatformCredentials, given: Set<string>): AsyncGenerator<PlatformTemplate> {
  let isShort = false;
  const read = { fields, short, onShort: () => void (isShort = true) };
  for await (const item of listItems(client, credentials, [credentials.wabaId, "message_templates"], read)) {
    const template = readTemplate(item, isShort);
    if (template === null || given.has(template.platformId)) continue;
    given.add(template.platformId);
    yield template;
  }
}
