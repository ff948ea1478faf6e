/** What is wrong with one member of an input: as the schemas say it, and as the server does. */
export interface Issue {
  path: PropertyKey[];
  message: string;
}

/** The message for each field of a form, by its name. */
export function fieldErrors(issues: Issue[]): Record<string, string> {
  return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
}

/** The issues of a refusal by the server; none of another error. `member`: of the input, whose issues are told as if it were the input. */
export function issuesOf(error: unknown, member?: string): Issue[] {
  const { data } = error as { data?: { issues?: Issue[] | null } | null };
  const issues = data?.issues ?? [];
  return issues.map((issue) => (member !== undefined && issue.path[0] === member ? { ...issue, path: issue.path.slice(1) } : issue));
}
