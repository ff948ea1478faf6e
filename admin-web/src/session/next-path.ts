export interface SignInSearch {
  /** Where to go on after the sign-in: path, search and hash. */
  next?: string | undefined;
}

/** Takes paths of the dashboard alone: a link to the sign-in page must not lead anywhere else. Undefined is said, since the router keeps what is not answered. */
export function readSignInSearch({ next }: Record<string, unknown>): SignInSearch {
  return { next: typeof next === "string" && isOwnPath(next) ? next : undefined };
}

/** `//host` and, to browsers, `/\host` name another host. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])/u.test(path);
