import { accountRoutes, onAnyNode, onBusinessAccount } from "./account-calls.ts";
import type { Route } from "./http.ts";
import { inboxRoutes, setPreference } from "./inbox.ts";
import { uploadMedia, beginUpload } from "./nodes/files.ts";
import {
  debugToken,
  listPhoneNumbers,
  readNode,
  listSubscribedApps,
  subscribeApp,
  unsubscribeApp,
  setSubscription,
  writeNode,
} from "./nodes/nodes.ts";
import { sendMessage } from "./send/send.ts";
import { createTemplate, deleteTemplates, listTemplates } from "./templates/calls.ts";
import { changeTemplate, unpauseTemplate } from "./templates/control.ts";

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
