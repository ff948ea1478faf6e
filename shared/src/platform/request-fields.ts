import type { PlatformClient } from "./client.ts";
import type { PlatformCredentials } from "./credentials.ts";
import { PlatformError } from "./platform-error.ts";
import { request } from "./request.ts";

/** Reads an object or list with the fields named; where the platform's version lacks one of them, with its default fields. */
export async function requestFields(
  client: PlatformClient,
  credentials: PlatformCredentials,
  path: readonly string[],
  fields: string,
  query: Record<string, string> = {},
): Promise<object> {
  try {
    return await request(client, credentials, { method: "GET", path, query: { ...query, fields } });
  } catch (error) {
    if (!(error instanceof PlatformError && lacksField(error))) throw error;
    return request(client, credentials, { method: "GET", path, query });
  }
}

function lacksField(error: PlatformError): boolean {
  return error.facts?.code === "100" && /nonexisting field/i.test(error.message);
}
