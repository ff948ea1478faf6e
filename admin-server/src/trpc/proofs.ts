import type { TokenScope } from "shared/core/input/team";

/**
 * Which mutations take a proof of the person from the last 10 minutes, and why, and the scope by which an access token may call each; null: only a token
 * without scopes, if any. What makes a credential, sends data elsewhere, lowers a protection or deletes in bulk takes a proof.
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

export const proofs: Readonly<Record<string, readonly [takes: Proof, scope: TokenScope | null, why: string]>> = {
  "alerts.addChannel": ["always", "settings", "sends data elsewhere"],
  "alerts.confirm": ["itself", null, "takes the mailed link"],
  "alerts.removeChannel": ["always", "settings", "what goes wrong is told nobody"],
  "alerts.rotateSecret": ["always", "rotate_secrets", "makes a credential"],
  "alerts.test": ["never", "settings", "goes to a channel that is there"],
  "alerts.update": ["always", "settings", "mails figures, and silences alerts"],
  "alerts.updateChannel": ["always", "settings", "sends to a channel again, or silences it"],
  "assistant.agree": ["never", null, own],
  "assistant.draftTemplate": ["never", "templates", "goes to the provider that an owner chose"],
  "assistant.explain": ["never", null, "goes to the provider that an owner chose"],
  "assistant.proposeBinding": ["never", "bindings", "goes to the provider that an owner chose"],
  "assistant.translateTemplate": ["never", "templates", "goes to the provider that an owner chose"],
  "assistant.try": ["never", null, "tells nothing of the account"],
  "auth.addPasskey": ["person", null, "makes a credential"],
  "auth.changeEmail": ["person", null, "the address opens the account"],
  "auth.changeName": ["never", null, own],
  "auth.changePassword": ["itself", null, "takes the password"],
  "auth.confirm": ["itself", null, "gives the proof"],
  "auth.confirmEmail": ["itself", null, "takes the mailed link"],
  "auth.confirmTotp": ["person", null, "makes a credential"],
  "auth.enrollTotp": ["person", null, "makes a credential"],
  "auth.forgotPassword": ["itself", null, "mails a link to the address itself"],
  "auth.login": ["itself", null, "takes the password"],
  "auth.logout": ["never", null, "ends access"],
  "auth.passkeySignIn": ["itself", null, "takes the passkey"],
  "auth.proveEmail": ["itself", null, "takes the mailed link"],
  "auth.removePasskey": ["person", null, "lowers a protection"],
  "auth.removeTotp": ["person", null, "lowers a protection"],
  "auth.resendProof": ["never", null, "mails a link to the address itself"],
  "auth.resetPassword": ["itself", null, "takes the link"],
  "auth.revokeSession": ["never", null, "ends access"],
  "auth.secondFactor": ["itself", null, "takes the code"],
  "auth.signOutEverywhere": ["never", null, "ends access"],
  "auth.signUp": ["itself", null, "chooses the password"],
  "auth.startPasskey": ["person", null, "makes a credential"],
  "auth.startPasskeyConfirm": ["itself", null, "gives the proof"],
  "auth.startPasskeySignIn": ["itself", null, "takes the passkey"],
  "auth.switchAccount": ["never", null, own],
  "bindings.backfill": ["never", "resend", sends],
  "bindings.cancelBackfill": ["never", "resend", stays],
  "bindings.changeMany": ["by effect", "bindings", "deletes in bulk"],
  "bindings.create": ["by effect", "bindings", "a phone that is new to the account gets messages"],
  "bindings.delete": ["never", "bindings", stays],
  "bindings.plan": ["never", "read", "sends and stores nothing"],
  "bindings.restore": ["by effect", "bindings", "a phone that is new to the account gets messages"],
  "bindings.update": ["by effect", "bindings", "a phone that is new to the account gets messages"],
  "events.replay": ["never", "resend", sends],
  "events.sendTest": ["by effect", "send_test", "a phone that is new to the account gets a message"],
  "notifications.cancel": ["never", "resend", stays],
  "notifications.cancelMany": ["by effect", "resend", "deletes in bulk"],
  "notifications.resend": ["never", "resend", sends],
  "notifications.resendMany": ["never", "resend", sends],
  "notifications.sendNow": ["never", "resend", sends],
  "notifications.sendNowMany": ["never", "resend", sends],
  "operations.stop": ["never", "resend", "takes back what has not left"],
  "optOuts.lift": ["never", null, "one person at a time"],
  "people.confirmErasure": ["person", null, "deletes in bulk"],
  "people.erase": ["person", null, "deletes in bulk"],
  "people.refuseErasure": ["always", null, "decides on a person's right"],
  "problems.acknowledge": ["never", null, stays],
  "problems.note": ["never", null, stays],
  "problems.resolve": ["never", null, "one that goes on is open again"],
  "problems.snooze": ["never", null, stays],
  "recipients.add": ["by effect", "sites", "a phone that is new to the account gets messages"],
  "recipients.remove": ["never", "sites", stays],
  "recipients.update": ["by effect", "sites", "a phone that is new to the account gets messages"],
  "sandbox.answer": ["never", "send_test", "the sandbox reaches nobody"],
  "sandbox.control": ["never", "send_test", "the sandbox reaches nobody"],
  "sandbox.markRead": ["never", "send_test", "the sandbox reaches nobody"],
  "settings.connectSandbox": ["always", "settings", "messages reach nobody any more"],
  "settings.removeAssistant": ["person", null, "deletes a credential"],
  "settings.renameAccount": ["never", "settings", stays],
  "settings.saveAssistant": ["person", null, "sends data elsewhere"],
  "settings.testConnection": ["never", "settings", stays],
  "settings.update": ["by effect", "settings", "credentials, ways in, a shorter retention, fewer stop words, more start words"],
  "setup.copy": ["by effect", null, "sends data elsewhere; here its changes take their own"],
  "setup.update": ["by effect", null, "its changes take their own; several removals delete in bulk"],
  "sites.create": ["always", "sites", "makes a credential"],
  "sites.delete": ["always", "sites", "deletes in bulk"],
  "sites.rotateApiKey": ["always", "rotate_secrets", "makes a credential"],
  "sites.rotateInboundToken": ["always", "rotate_secrets", "makes a credential"],
  "sites.rotateWebhookSecret": ["always", "rotate_secrets", "makes a credential"],
  "sites.sendExample": ["by effect", "send_test", "a phone that is new to the account gets a message"],
  "sites.update": ["by effect", "sites", "secrets, addresses, a new test phone, weaker checks of requests"],
  "templates.create": ["never", "templates", "the platform approves it"],
  "templates.delete": ["never", "templates", "one that is bound stays"],
  "templates.restore": ["never", "templates", "the platform approves it"],
  "templates.setHeaderMedia": ["never", "templates", "the platform approves it"],
  "templates.submit": ["never", "templates", "the platform approves it"],
  "templates.sync": ["never", "templates", stays],
  "templates.update": ["never", "templates", "the platform approves it"],
  "tokens.create": ["person", null, "makes a credential"],
  "tokens.revoke": ["never", null, "ends access"],
  "users.acceptInvite": ["itself", null, "takes the link"],
  "users.invite": ["person", null, "makes a credential"],
  "users.invites.revoke": ["person", null, "people come and go by their owner alone"],
  "users.readInvite": ["itself", null, "takes the link"],
  "users.remove": ["person", null, "people come and go by their owner alone"],
  "users.resetPassword": ["person", null, "makes a credential"],
  "users.resetSecondFactor": ["person", null, "lowers a protection"],
  "users.setRole": ["person", null, "gives rights"],
  "views.create": ["never", null, stays],
  "views.delete": ["never", null, stays],
  "views.update": ["never", null, stays],
  "webhookDeliveries.replay": ["never", "webhooks", "goes to an endpoint that is there"],
  "webhookDeliveries.replayFailed": ["never", "webhooks", "goes to endpoints that are there"],
  "webhooks.create": ["always", "webhooks", "sends data elsewhere"],
  "webhooks.delete": ["never", "webhooks", stays],
  "webhooks.rotateSecret": ["always", "rotate_secrets", "makes a credential"],
  "webhooks.test": ["never", "webhooks", "goes to an endpoint that is there"],
  "webhooks.update": ["by effect", "webhooks", "sends data elsewhere"],
};

/** The scope that a token needs, if it has any. */
export const scopeOf = (path: string): TokenScope | null => proofs[path]?.[1] ?? null;

/** What a mutation takes; one that stands nowhere takes the proof. */
export const proofOf = (path: string): Proof => proofs[path]?.[0] ?? "always";
