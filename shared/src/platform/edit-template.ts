import type { PlatformClient } from "./client.ts";
import type { PlatformCredentials } from "./credentials.ts";
import { member } from "./http/json-member.ts";
import { PlatformError } from "./platform-error.ts";
import { request } from "./request/request.ts";
import { writeComponents } from "./template/write-template.ts";
import type { TemplateToCreate } from "./templates.ts";

/**
 * Replaces all parts of a template that the platform has, which then reviews it anew. Name and language stay.
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
    throw new PlatformError("The platform did not take the change and does not say why. Try again later.");
}
