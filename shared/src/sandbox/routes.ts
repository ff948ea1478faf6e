import { accountRoutes } from "./accounts/account-routes.ts";
import { onAnyNode, onBusinessAccount } from "./http/account-handler.ts";
import type { Route } from "./http/match-route.ts";
import { inboxRoutes } from "./inbox/inbox-routes.ts";
import { debugToken } from "./nodes/debug-token.ts";
import { uploadMedia } from "./nodes/media.ts";
import { listPhoneNumbers, readNode } from "./nodes/read-node.ts";
import { listSubscribedApps, subscribeApp, unsubscribeApp } from "./nodes/subscribed-apps.ts";
import { setSubscription } from "./nodes/subscriptions.ts";
import { beginUpload } from "./nodes/uploads.ts";
import { writeNode } from "./nodes/write-node.ts";
import { setPreference } from "./preferences/set-preference.ts";
import { sendMessage } from "./send/send-route.ts";
import { changeTemplate } from "./templates/control-template.ts";
import { createTemplate } from "./templates/create-template.ts";
import { deleteTemplates } from "./templates/delete-template.ts";
import { listTemplates } from "./templates/list-templates.ts";
import { unpauseTemplate } from "./templates/unpause-template.ts";

/** Every call of the sandbox: the platform's own, without their version segment, and those that stand for what happens outside of its API. */
export const routes: Route[] = [
  ["POST", "/:node/messages", sendMessage],
  ["GET", "/:node/message_templates", onBusinessAccount(listTemplates)],
  ["POST", "/:node/message_templates", onBusinessAccount(createTemplate)],
  ["DELETE", "/:node/message_templates", onBusinessAccount(deleteTemplates)],
  ["POST", "/:node/unpause", onAnyNode(unpauseTemplate)],
  ["GET", "/:node/phone_numbers", onBusinessAccount(listPhoneNumbers)],
  ["GET", "/:node/subscribed_apps", onBusinessAccount(listSubscribedApps)],
  ["POST", "/:node/subscribed_apps", onBusinessAccount(subscribeApp)],
  ["DELETE", "/:node/subscribed_apps", onBusinessAccount(unsubscribeApp)],
  ["POST", "/:node/subscriptions", setSubscription],
  ["POST", "/:node/uploads", beginUpload],
  ["POST", "/:node/media", onAnyNode(uploadMedia)],
  ["GET", "/debug_token", debugToken],
  ...accountRoutes,
  ...inboxRoutes,
  ["POST", "/_sandbox/preferences", setPreference],
  ["PATCH", "/_sandbox/templates/:id", changeTemplate],
  ["GET", "/:node", onAnyNode(readNode)],
  ["POST", "/:node", onAnyNode(writeNode)],
];
