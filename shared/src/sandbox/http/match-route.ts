import type { Handler } from "./answer.ts";

/** Method, pattern (`:name` takes one segment) and what answers it. */
export type Route = readonly [method: string, pattern: string, handler: Handler];

export interface Match {
  handler: Handler;
  params: Record<string, string>;
}

/** The first route that fits. `known` tells a wrong method from a wrong path. */
export function matchRoute(routes: readonly Route[], method: string, path: string): Match | { known: boolean } {
  const segments = decodeSegments(path);
  if (segments === null) return { known: false };
  let known = false;
  for (const [routeMethod, pattern, handler] of routes) {
    const params = matchPattern(pattern.split("/").slice(1), segments);
    if (params === null) continue;
    if (routeMethod === method) return { handler, params };
    known = true;
  }
  return { known };
}

function matchPattern(pattern: string[], segments: string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = segment;
    else if (part !== segment) return null;
  }
  return params;
}

function decodeSegments(path: string): string[] | null {
  try {
    return path.replace(/\/$/, "").split("/").slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
}
