import type { TemplateDefinition, TemplateStatus } from "../core/template/definition.ts";
import { say } from "../core/wording.ts";
import { type PlatformClient, type PlatformCredentials, PlatformError } from "./client.ts";
import { member, idMember, textMember } from "./exchange.ts";
import { request, listItems } from "./request.ts";
import { writeComponents, type PlatformTemplate, readTemplate, templateStatusOf } from "./template-json.ts";

/**
 * Replaces all components of a template, which the platform then reviews again. Name and language stay.
 * @throws PlatformError
 */
export async function editTemplate(
  client: PlatformClient,
  credentials: PlatformCredentials,
  template: Pick<TemplateToCreate, "category" | "definition" | "headerHandle"> & { platformId: string },
): Promise<void> {
  const { platformId, category, definition, headerHandle } = template;
  const components = writeComponents(definition, headerHandle ?? null);
  const body = { category, parameter_format: definition.parameterFormat, components };
  const answer = await request(client, credentials, { method: "POST", path: [platformId], body });
  if (member(answer, "success") === false)
    throw new PlatformError(say("The platform did not take the change and does not say why. Try again later."));
}

const fields = "id,name,language,status,category,correct_category,components,parameter_format,rejected_reason,quality_score";
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

interface TemplateToCreate {
  name: string;
  language: string;
  category: string;
  definition: TemplateDefinition;
  /** See `writeComponents`. */
  headerHandle?: string | null | undefined;
}

export interface CreatedTemplate {
  platformId: string;
  status: TemplateStatus;
  /** May differ from the requested category. */
  category: string;
}

/**
 * Submits a template for approval. Not repeated when the answer is lost: a sync then shows whether the template exists.
 * @throws PlatformError
 */
export async function createTemplate(
  client: PlatformClient,
  credentials: PlatformCredentials,
  template: TemplateToCreate,
): Promise<CreatedTemplate> {
  const { name, language, category, definition, headerHandle } = template;
  const components = writeComponents(definition, headerHandle ?? null);
  const body = { name, language, category, parameter_format: definition.parameterFormat, components };
  const answer = await request(client, credentials, { method: "POST", path: [credentials.wabaId, "message_templates"], body });
  const platformId = idMember(answer, "id");
  if (platformId === undefined)
    throw new PlatformError(say("The platform answered without a template id. Sync the templates to see whether it was made."));
  const status = templateStatusOf(textMember(answer, "status") ?? "PENDING");
  return { platformId, status, category: (textMember(answer, "category") ?? category).toUpperCase() };
}

/**
 * Deletes one language of a template; the others of that name stay.
 * @throws PlatformError
 */
export async function deleteTemplate(
  client: PlatformClient,
  credentials: PlatformCredentials,
  template: { platformId: string; name: string },
): Promise<void> {
  const query = { hsm_id: template.platformId, name: template.name };
  const answer = await request(client, credentials, { method: "DELETE", path: [credentials.wabaId, "message_templates"], query });
  if (member(answer, "success") === false)
    throw new PlatformError(say("The platform did not delete the template and does not say why. Try again later."));
}

async function* listOnce(client: PlatformClient, credentials: PlatformCredentials, given: Set<string>): AsyncGenerator<PlatformTemplate> {
  for await (const item of listItems(client, credentials, [credentials.wabaId, "message_templates"], { fields })) {
    const template = readTemplate(item);
    if (template === null || given.has(template.platformId)) continue;
    given.add(template.platformId);
    yield template;
  }
}
