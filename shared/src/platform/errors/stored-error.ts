import { idMember, member, textMember } from "../http/json-member.ts";

/** The platform's error as people and its support ask for it. */
export interface StoredError {
  subcode: string | null;
  /** The platform's own title or message. */
  title: string | null;
  details: string | null;
  /** What the platform's support asks for (`fbtrace_id`); only answers have one, reports do not. */
  traceId: string | null;
}

/** Reads what `error_detail` keeps: the error of an answer, or the list of errors of a report, of which the first counts. Null in: all null. */
export function readStoredError(json: string | null): StoredError {
  const stored = parse(json);
  const error: unknown = Array.isArray(stored) ? stored[0] : stored;
  const data = member(error, "error_data");
  return {
    subcode: idMember(error, "error_subcode") ?? null,
    title: textMember(error, "title") ?? textMember(error, "message") ?? null,
    details: textMember(data, "details") ?? textMember(error, "error_data") ?? textMember(error, "error_user_msg") ?? null,
    traceId: idMember(error, "fbtrace_id") ?? null,
  };
}

function parse(json: string | null): unknown {
  if (json === null) return null;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}
