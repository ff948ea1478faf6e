/** Calls the sandbox as a person in the platform's own pages does. */
export async function callSandbox(
  { sandboxUrl, controlToken }: { sandboxUrl: string; controlToken: string },
  method: "GET" | "POST" | "PATCH",
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${controlToken}` };
  const answer = await fetch(`${sandboxUrl}/_sandbox/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(`${method} _sandbox/${path}: ${answer.status} ${JSON.stringify(json)}`);
  return json;
}
