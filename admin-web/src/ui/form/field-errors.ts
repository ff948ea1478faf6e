/** What is wrong with one member of an input: as the schemas say it, and as the server does. */
export interface Issue {
  path: PropertyKey[];
  message: string;
}

/** The message for each field of a form, by its name. */
export function fieldErrors(issues: Issue[]): Record<string, string> {
  return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
}

/** The issues of a refusal by the server; none of another error. */
export function issuesOf(error: unknown): Issue[] {
  const { data } = error as { data?: { issues?: Issue[] | null } | null };
  return data?.issues ?? [];
}
