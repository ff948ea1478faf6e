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

/** Codes of our own, and of the platform, that a whole kind of problem stands for. The platform's codes that stop an account are `isAccountCode`'s. */
const ofStop: ReadonlySet<string> = new Set(["account_stopped"]);
const ofTemplate: ReadonlySet<string> = new Set(["template_not_approved", "132015", "132016"]);
const ofBinding: ReadonlySet<string> = new Set(["slot_unresolved", "too_long", "url_not_fitting"]);

/** The kind of problem that a failure with this code is part of; null for what is nobody's failure. */
function kindOfFailure(code: string, isAccountCode: (code: string) => boolean): FailureKind | null {
  if (noFailures.has(code)) return null;
  if (ofStop.has(code) || isAccountCode(code)) return "platform_stopped";
  if (ofTemplate.has(code)) return "template_refused";
  return ofBinding.has(code) ? "binding_cannot_send" : "messages_failed";
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

/** The codes for which a kind stands; `messages_failed` has all others. */
export const codesOfKind = { platform_stopped: ofStop, template_refused: ofTemplate, binding_cannot_send: ofBinding } as const;

/** Whether more failures are told of by themselves: only when no open problem has half of them. */
export const isFailureRateOwn = (failed: number, ofProblems: readonly number[]): boolean => ofProblems.every((count) => count * 2 < failed);
