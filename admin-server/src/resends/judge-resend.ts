import { isE164 } from "shared/core/phone";
import type { ResendCandidate } from "shared/db/notification/resend";
import { readStoredError } from "shared/platform/errors/classify";
import { explain, resendOutlook } from "shared/platform/errors/classify";

export interface Insistence {
  /** What would fail in the same way as far as can be told is sent all the same. */
  force: boolean;
  /** Somebody has looked at these: what only helps when something has changed at the recipient's side is sent too. */
  looked: boolean;
}

/** Why a message is not to be sent again, and what to do; null when it may be. */
export function judgeResend(message: ResendCandidate, { force, looked }: Insistence): string | null {
  if (message.error_code === null) return "Only a message that failed can be sent again";
  if (!message.answered) return "Its event is still being sent; try again in a moment";
  if (message.site_enabled === null) return "Its site was deleted";
  if (!message.site_enabled) return "Its site is disabled; enable the site first";
  if (!message.connected) return "No platform is connected; connect one in the settings first";
  if (!isE164(message.to_phone)) return "Its recipient is no longer known";
  const failure = { code: message.error_code, subcode: readStoredError(message.error_detail).subcode };
  const outlook = resendOutlook(failure);
  if (force || outlook === "helps" || (outlook === "later" && looked)) return null;
  return `${explain(failure).action} Set force to send it again all the same`;
}
