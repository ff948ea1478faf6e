/** What an entry is about, as far as that has a page. */
export type SubjectPage = "site" | "template" | "binding" | "message" | "resends";

/** By the procedures that leave the id of such a thing; what was deleted has no page any more. */
const pages: Record<string, SubjectPage> = {
  "sites.create": "site",
  "sites.update": "site",
  "sites.rotateWebhookSecret": "site",
  "sites.rotateApiKey": "site",
  "templates.create": "template",
  "templates.update": "template",
  "templates.submit": "template",
  "templates.setHeaderMedia": "template",
  "bindings.create": "binding",
  "bindings.update": "binding",
  "notifications.resend": "message",
  "notifications.resendMany": "resends",
};

export const subjectPage = (action: string): SubjectPage | undefined => (Object.hasOwn(pages, action) ? pages[action] : undefined);
