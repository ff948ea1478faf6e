/** The part of a zod issue that an error function may rely on. */
interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[] | undefined;
}

/**
 * The `error` option of a zod schema, for messages that say by themselves where the fault is: `body.2.path: must not be empty`.
 * The message may depend on the issue. Members that an object does not have are named instead.
 */
export const namedError = (message: string | ((issue: Issue) => string)): { error: (issue: Issue) => string } => ({
  error: (issue) => {
    const text = typeof message === "string" ? message : message(issue);
    return prefix(issue) + (issue.keys === undefined ? text : `has no member ${issue.keys.join(", ")}`);
  },
});

/** Within a binding the map's place is known; what counts is the place within the map. */
function prefix(issue: Issue): string {
  const path = (issue.path ?? []).map(String);
  const within = path.slice(path.lastIndexOf("variableMap") + 1);
  const place = within.length > 0 ? within : path;
  return place.length === 0 ? "" : `${place.join(".")}: `;
}
