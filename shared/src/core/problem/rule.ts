/** The kinds of problems that failed messages count in. */
export type FailureKind = "platform_stopped" | "template_refused" | "binding_cannot_send" | "messages_failed";

/** Codes of messages that were left unsent as somebody wanted it. */
export const noFailures: ReadonlySet<string> = new Set(["recipient_opted_out", "throttled"]);

/** The codes for which a kind stands, beside the platform's that stop an account (`isAccountCode`); `messages_failed` has all others. */
export const codesOfKind = {
  platform_stopped: ["account_stopped"],
  template_refused: ["template_not_approved", "132015", "132016"],
  binding_cannot_send: ["slot_unresolved", "too_long", "url_not_fitting"],
} as const satisfies Partial<Record<FailureKind, readonly string[]>>;

/** Whether more failures are told of by themselves: only when no open problem has half of them. */
export const isFailureRateOwn = (failed: number, ofProblems: readonly number[]): boolean => ofProblems.every((count) => count * 2 < failed);
