/** Status of every code that the admin API may refuse with. What is missing here (500, 502, 503) no caller can bring about. */
const statuses: Record<string, number> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_REQUESTS: 429,
};

/** What is wrong with an answer of the admin API whatever was asked. `calls`: of a batch; null: a call alone; `stream`: answered line by line. */
export function adminProblems(response: Response, text: string, calls: number | null | "stream"): string[] {
  const { status, headers } = response;
  const problems: string[] = [];
  if (headers.get("content-security-policy")?.includes("script-src 'self'") !== true)
    problems.push(`${status} without a content security policy`);
  if (headers.get("x-content-type-options") !== "nosniff") problems.push(`${status} without nosniff`);
  if (headers.get("x-frame-options") !== "DENY") problems.push(`${status} that may be framed`);
  if (status >= 500) return [...problems, `${status} ${text.slice(0, 300)}`];
  if (calls === "stream" || headers.get("content-type")?.startsWith("application/json") !== true) return problems;
  return [...problems, ...bodyProblems(status, text, calls)];
}

function bodyProblems(status: number, text: string, calls: number | null): string[] {
  const json = parse(text);
  if (json === undefined) return [`${status} that is no JSON`];
  if (!Array.isArray(json)) return partProblems(json, status);
  if (calls === null || json.length !== calls) return [`${json.length} answers to ${calls ?? 1} calls`];
  return json.flatMap((part) => partProblems(part, null));
}

/** `status` is null within a batch, which has one of its own. */
function partProblems(part: unknown, status: number | null): string[] {
  const { result, error } = part as {
    result?: { data?: unknown };
    error?: { message?: unknown; code?: unknown; data?: Record<string, unknown> };
  };
  if (error === undefined)
    return result !== undefined && (status === null || status === 200) ? [] : [`${status} that is neither a result nor an error`];
  const { code, httpStatus, stack } = error.data ?? {};
  return [
    ...(typeof error.message === "string" && error.message !== "" ? [] : ["an error without a message"]),
    ...(stack === undefined ? [] : ["a stack in an answer"]),
    ...(statuses[String(code)] === httpStatus ? [] : [`a code that is not documented: ${String(code)} ${String(httpStatus)}`]),
    ...(status === null || status === httpStatus ? [] : [`${status} with ${String(code)}`]),
  ];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
