import type { PlatformClient } from "../client.ts";
import type { PlatformCredentials } from "../credentials.ts";
import { PlatformError } from "../platform-error.ts";
import { request } from "./request.ts";

export interface FieldsToRead {
  /** Comma-separated. */
  fields: string;
  query?: Record<string, string> | undefined;
  /** An instant of `performance.now()`. */
  cutAt?: number | undefined;
}

/**
 * Reads an object or a page of a list with the fields named; where the platform's version lacks one of them, with its default fields.
 * @throws PlatformError
 */
export async function requestFields(
  client: PlatformClient,
  credentials: PlatformCredentials,
  path: readonly string[],
  { fields, query, cutAt }: FieldsToRead,
): Promise<object> {
  const call = { method: "GET", path, cutAt } as const;
  try {
    return await request(client, credentials, { ...call, query: { ...query, fields } });
  } catch (error) {
    if (!(error instanceof PlatformError && lacksField(error))) throw error;
    return request(client, credentials, { ...call, query });
  }
}

function lacksField(error: PlatformError): boolean {
  return error.facts?.code === "100" && /nonexisting field/i.test(error.message);
}
