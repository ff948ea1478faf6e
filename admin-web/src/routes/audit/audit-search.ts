/** The filters of the audit, as they stand in the address. Days are the reader's own, YYYY-MM-DD. */
export interface AuditSearch {
  actor?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** What is empty or no filter is said to be undefined, since the router keeps what is not answered. */
export const readAuditSearch = ({ actor, action, from, to }: Record<string, unknown>): AuditSearch => ({
  actor: text(actor),
  action: text(action),
  from: day(from),
  to: day(to),
});

/** The router reads digits in an address as a number. */
function text(value: unknown): string | undefined {
  const written = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return written === "" ? undefined : written;
}

const day = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
