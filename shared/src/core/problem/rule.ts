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

/** One incident is one problem: the one that a failed message counts in, the first that fits; null for what is nobody's failure. */
export function problemOfFailure(
  { code, siteId, templateId, bindingId }: { code: string; siteId: string; templateId: string; bindingId: string },
  isAccountCode: (code: string) => boolean,
): { kind: FailureKind; siteId: string | null; subject: string } | null {
  if (noFailures.has(code)) return null;
  const isOf = (kind: keyof typeof codesOfKind): boolean => (codesOfKind[kind] as readonly string[]).includes(code);
  if (isAccountCode(code) || isOf("platform_stopped")) return { kind: "platform_stopped", siteId: null, subject: "" };
  if (isOf("template_refused")) return { kind: "template_refused", siteId: null, subject: templateId };
  if (isOf("binding_cannot_send")) return { kind: "binding_cannot_send", siteId, subject: bindingId };
  return { kind: "messages_failed", siteId, subject: code };
}

/** Whether more failures are told of by themselves: only when no open problem has half of them. */
export const isFailureRateOwn = (failed: number, ofProblems: readonly number[]): boolean => ofProblems.every((count) => count * 2 < failed);
