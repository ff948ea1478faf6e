import { errorTable } from "./error-class.ts";
import texts from "./known-errors.json" with { type: "json" };
import unanswered from "./unanswered.json" with { type: "json" };

/** The platform's errors, each kind in the order of the documentation. */
export const knownErrors = {
  /** No message of the account can be sent until somebody acts. 200 stands for the range 200–299. */
  account: errorTable("account", texts.account),
  /** The message itself is wrong: sending it again fails again. */
  permanent: errorTable("permanent", texts.permanent),
  /** The platform holds messages back because of how recipients received earlier ones. */
  quality: errorTable("quality", texts.quality),
  /** The recipient cannot be reached, or does not accept this message. */
  recipient: errorTable("recipient", texts.recipient),
  /** A fault or a limit that passes within minutes. The same message is tried again at once. */
  transient: errorTable("transient", texts.transient),
  /** Refused changes to templates, by code and subcode, with what to do about each. */
  template: errorTable("permanent", texts.template),
};

/** The app, the user or the business account has used up its calls, which come back within the hour. */
export const callQuotaCodes: ReadonlySet<string> = new Set(["4", "17", "80007"]);

/** Faults of the platform itself. */
export const faultCodes: ReadonlySet<string> = new Set(["1", "2", "131000", "131016", "133004"]);

/** The codes of failed messages that got no sensible answer of the platform. */
export const unansweredCodes: ReadonlySet<string> = new Set([...unanswered, ...faultCodes]);

/** Refusals by which a template's state or category is another than we know: missing, of another text, not sendable by this way, paused, disabled. */
export const strangeCodes: ReadonlySet<string> = new Set(["131055", "132000", "132001", "132015", "132016", "134100"]);
/** Marketing is switched off on the usual way: strange of any other template. */
export const switchedOffCode = "131063";

/** Limits on sending. They need longer pauses than a fault. */
export const slowDownCodes: ReadonlySet<string> = new Set([...callQuotaCodes, "130429"]);
