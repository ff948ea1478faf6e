/** The kinds of problems that failed messages count in. */
export type FailureKind = "platform_stopped" | "template_refused" | "binding_cannot_send" | "messages_failed";

/** A failed message, as far as it tells which problem it is part of. */
export interface FailedMessage {
  code: string;
  siteId: string;
  templateId: string;
  bindingId: string;
}

/** What a problem is about: one incident. `siteId` is null for what concerns the account. */
export interface ProblemKey<Kind extends string = FailureKind> {
  kind: Kind;
  siteId: string | null;
  subject: string;
}

/** Codes of messages that were left unsent as somebody wanted it. */
export const noFailures: ReadonlySet<string> = new Set(["recipient_opted_out", "throttled"]);

/** The codes for which a kind stands, beside the platform's that stop an account (`isAccountCode`); `messages_failed` has all others. */
export const codesOfKind = {
  platform_stopped: ["account_stopped"],
  template_refused: ["template_not_approved", "132015", "132016"],
  binding_cannot_send: ["slot_unresolved", "too_long", "url_not_fitting"],
} as const satisfies Partial<Record<FailureKind, readonly string[]>>;

/** The kind of problem that a failure with this code is part of; null for what is nobody's failure. */
function kindOfFailure(code: string, isAccountCode: (code: string) => boolean): FailureKind | null {
  if (noFailures.has(code)) return null;
  if (isAccountCode(code)) return "platform_stopped";
  const kinds = Object.keys(codesOfKind) as (keyof typeof codesOfKind)[];
  return kinds.find((kind) => (codesOfKind[kind] as readonly string[]).includes(code)) ?? "messages_failed";
}

/** One incident is one problem: the one that a failed message counts in. The first that fits. */
export function problemOfFailure(message: FailedMessage, isAccountCode: (code: string) => boolean): ProblemKey | null {
  const { code, siteId, templateId, bindingId } = message;
  const kind = kindOfFailure(code, isAccountCode);
  switch (kind) {
    case null:
      return null;
    case "platform_stopped":
      return { kind, siteId: null, subject: "" };
    case "template_refused":
      return { kind, siteId: null, subject: templateId };
    case "binding_cannot_send":
      return { kind, siteId, subject: bindingId };
    case "messages_failed":
      return { kind, siteId, subject: code };
  }
}

/** Whether more failures are told of by themselves: only when no open problem has half of them. */
export const isFailureRateOwn = (failed: number, ofProblems: readonly number[]): boolean => ofProblems.every((count) => count * 2 < failed);
