import { expect, test } from "vitest";
import { actionWords } from "./action-words.ts";
import { subjectPage } from "./subject-page.ts";

test("what was made or changed has its page, what was deleted or never had one has none", () => {
  const linked = Object.keys(actionWords).filter((action) => subjectPage(action) !== undefined);
  expect(linked.map((action) => `${action}: ${subjectPage(action)}`)).toEqual([
    "sites.create: site",
    "sites.update: site",
    "sites.rotateWebhookSecret: site",
    "sites.rotateApiKey: site",
    "templates.create: template",
    "templates.update: template",
    "templates.submit: template",
    "templates.setHeaderMedia: template",
    "bindings.create: binding",
    "bindings.update: binding",
    "notifications.resend: message",
    "notifications.resendMany: resends",
  ]);
  expect(subjectPage("constructor")).toBeUndefined();
});
