import { errorTable } from "./error-class.ts";

/** The platform holds back because of how earlier messages were received. */
export const qualityErrors = errorTable("quality", null, [
  [
    "131048",
    "Held back as possible spam",
    "Too many recipients blocked or reported messages of this number. Send less, and only what people asked for.",
    "Resend after some hours, once the number's quality in the platform's business manager has recovered.",
  ],
  [
    "131064",
    "Limited after a wrong template category",
    "Templates of this account were filed under the wrong category. The limit lifts by itself.",
    "Resend once the platform has lifted the limit.",
  ],
  [
    "132015",
    "The template is paused",
    "The platform paused this template because recipients rated it badly. The first pause lasts three hours, the second six.",
    "Resend once the template is approved again.",
  ],
]);
