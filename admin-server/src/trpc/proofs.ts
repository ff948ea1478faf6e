/**
 * Which mutations take a proof of the person from the last 10 minutes, and why. What makes a credential, sends data elsewhere, lowers a protection or
 * deletes in bulk takes it.
 */
export type Proof =
  /** Always, and access tokens cannot call it. */
  | "person"
  /** Always, of people; an access token needs its scope. */
  | "always"
  /** By what the input changes: the procedure asks for it. */
  | "by effect"
  /** The call proves the person itself, by a password, a code or a link. */
  | "itself"
  | "never";

const stays = "nothing that outlives the session";
const sends = "sends what bindings say, to whom they say";
const own = "the caller's own";

export const proofs: Readonly<Record<string, readonly [takes: Proof, why: string]>> = {
  "alerts.addChannel": ["always", "sends data elsewhere"],
  "alerts.confirm": ["itself", "takes the mailed link"],
  "alerts.removeChannel": ["never", stays],
  "alerts.rotateSecret": ["always", "makes a credential"],
  "alerts.test": ["never", "goes to a channel that is there"],
  "alerts.update": ["never", stays],
  "alerts.updateChannel": ["never", "goes to a channel that is there"],
  "assistant.agree": ["never", own],
  "assistant.draftTemplate": ["never", "goes to the provider that an owner chose"],
  "assistant.explain": ["never", "goes to the provider that an owner chose"],
  "assistant.proposeBinding": ["never", "goes to the provider that an owner chose"],
  "assistant.translateTemplate": ["never", "goes to the provider that an owner chose"],
  "assistant.try": ["never", "tells nothing of the account"],
  "auth.addPasskey": ["person", "makes a credential"],
  "auth.changeEmail": ["person", "the address opens the account"],
  "auth.changeName": ["never", own],
  "auth.changePassword": ["itself", "takes the password"],
  "auth.confirm": ["itself", "gives the proof"],
  "auth.confirmEmail": ["itself", "takes the mailed link"],
  "auth.confirmTotp": ["person", "makes a credential"],
  "auth.enrollTotp": ["person", "makes a credential"],
  "auth.forgotPassword": ["itself", "mails a link to the address itself"],
  "auth.login": ["itself", "takes the password"],
  "auth.logout": ["never", "ends access"],
  "auth.passkeySignIn": ["itself", "takes the passkey"],
  "auth.proveEmail": ["itself", "takes the mailed link"],
  "auth.removePasskey": ["person", "lowers a protection"],
  "auth.removeTotp": ["person", "lowers a protection"],
  "auth.resendProof": ["never", "mails a link to the address itself"],
  "auth.resetPassword": ["itself", "takes the link"],
  "auth.revokeSession": ["never", "ends access"],
  "auth.secondFactor": ["itself", "takes the code"],
  "auth.signOutEverywhere": ["never", "ends access"],
  "auth.signUp": ["itself", "chooses the password"],
  "auth.startPasskey": ["person", "makes a credential"],
  "auth.startPasskeyConfirm": ["itself", "gives the proof"],
  "auth.startPasskeySignIn": ["itself", "takes the passkey"],
  "auth.switchAccount": ["never", own],
  "bindings.backfill": ["never", sends],
  "bindings.cancelBackfill": ["never", stays],
  "bindings.changeMany": ["never", "changes no recipient"],
  "bindings.create": ["by effect", "a phone that is new to the account gets messages"],
  "bindings.delete": ["never", stays],
  "bindings.update": ["by effect", "a phone that is new to the account gets messages"],
  "events.replay": ["never", sends],
  "events.sendTest": ["never", "goes to the test phone"],
  "notifications.cancel": ["never", stays],
  "notifications.cancelMany": ["never", stays],
  "notifications.resend": ["never", sends],
  "notifications.resendMany": ["never", sends],
  "notifications.sendNow": ["never", sends],
  "notifications.sendNowMany": ["never", sends],
  "optOuts.lift": ["never", "one person at a time"],
  "people.confirmErasure": ["person", "deletes in bulk"],
  "people.erase": ["person", "deletes in bulk"],
  "people.refuseErasure": ["always", "decides on a person's right"],
  "recipients.add": ["by effect", "a phone that is new to the account gets messages"],
  "recipients.remove": ["never", stays],
  "recipients.update": ["by effect", "a phone that is new to the account gets messages"],
  "sandbox.answer": ["never", "the sandbox reaches nobody"],
  "sandbox.markRead": ["never", "the sandbox reaches nobody"],
  "settings.connectSandbox": ["always", "messages reach nobody any more"],
  "settings.removeAssistant": ["person", "deletes a credential"],
  "settings.renameAccount": ["never", stays],
  "settings.saveAssistant": ["person", "sends data elsewhere"],
  "settings.testConnection": ["never", stays],
  "settings.update": ["by effect", "credentials, ways in, a shorter retention, fewer stop words"],
  "sites.create": ["always", "makes a credential"],
  "sites.delete": ["always", "deletes in bulk"],
  "sites.rotateApiKey": ["always", "makes a credential"],
  "sites.rotateInboundToken": ["always", "makes a credential"],
  "sites.rotateWebhookSecret": ["always", "makes a credential"],
  "sites.sendExample": ["by effect", "a phone that is new to the account gets a message"],
  "sites.update": ["by effect", "secrets, addresses, a new test phone, weaker checks of requests"],
  "templates.create": ["never", "the platform approves it"],
  "templates.delete": ["never", "one that is bound stays"],
  "templates.setHeaderMedia": ["never", "the platform approves it"],
  "templates.submit": ["never", "the platform approves it"],
  "templates.sync": ["never", stays],
  "templates.update": ["never", "the platform approves it"],
  "tokens.create": ["person", "makes a credential"],
  "tokens.revoke": ["never", "ends access"],
  "users.acceptInvite": ["itself", "takes the link"],
  "users.invite": ["person", "makes a credential"],
  "users.invites.revoke": ["person", "people come and go by their owner alone"],
  "users.readInvite": ["itself", "takes the link"],
  "users.remove": ["person", "people come and go by their owner alone"],
  "users.resetPassword": ["person", "makes a credential"],
  "users.resetSecondFactor": ["person", "lowers a protection"],
  "users.setRole": ["person", "gives rights"],
  "views.create": ["never", stays],
  "views.delete": ["never", stays],
  "views.update": ["never", stays],
  "webhookDeliveries.replay": ["never", "goes to an endpoint that is there"],
  "webhookDeliveries.replayFailed": ["never", "goes to endpoints that are there"],
  "webhooks.create": ["always", "sends data elsewhere"],
  "webhooks.delete": ["never", stays],
  "webhooks.rotateSecret": ["always", "makes a credential"],
  "webhooks.test": ["never", "goes to an endpoint that is there"],
  "webhooks.update": ["by effect", "sends data elsewhere"],
};

/** What a mutation takes; one that stands nowhere takes the proof. */
export const proofOf = (path: string): Proof => proofs[path]?.[0] ?? "always";
