/** Of every procedure, where its numbers are compared, or why it has none. */
const judged: Record<string, string> = {
  "messages.ts: the rows of every list to its end, by each filter, and the counts of what is sent again and of what waits": `
    notifications.list notifications.count notifications.get notifications.scheduled notifications.scheduledCount notifications.resendCount stats.backlog`,
  "operations.ts: each operation's messages and deliveries, counted once more as their newest attempts": `
    operations.list operations.get notifications.resendJob`,
  "statistics.ts: by status, day, hour, site, binding and template, with rates and times; values of filters with their counts": `
    stats.overview stats.messages notifications.filterValues templates.counts templates.usage templates.list`,
  "events.ts: the rows of every list, the counts of each event, names and fields with their last time, each step of an order and a customer": `
    events.list events.count events.get events.names events.fields orders.timeline customers.timeline`,
  "problems.ts: counts and times of problems, the lists that they lead to, and the alerts": "problems.list alerts.list",
  "setup.ts: each list is its rows, with the numbers in them": `
    audit.list audit.count audit.concerns bindings.list bindings.backfills bindings.backfillPreview sites.list sites.refused recipients.list webhooks.list
    webhookDeliveries.list webhookDeliveries.count webhookDeliveries.get optOuts.list people.erasures people.erasure people.erasureRequests users.list users.invites.list tokens.list views.list assistant.get`,
  "no number of rows: one thing and its settings": `
    setup.export sites.get bindings.get bindings.versions templates.get templates.versions templates.syncState settings.get alerts.settings auth.me auth.state auth.madeSince auth.sessions auth.passkeys users.readInvite`,
  "no number of rows: what would be, worked out from an input":
    "bindings.plan sites.types bindings.preview templates.check assistant.preview events.replayPreview",
  "no number of rows: what the sandbox's own phone shows": "sandbox.messages",
  "no number of rows: what the platform charges for, counted as it reports": "stats.pricing",
  "no number: the newest events, as events.list has them": "events.tail webhooks.tail",
  "no number: how far one request has come": "events.requested assistant.follow",
  "changes many: how many is compared with the rows by the test": `
    notifications.cancelMany notifications.sendNowMany notifications.resendMany webhookDeliveries.replayFailed`,
  "changes many: its answer names each": "bindings.changeMany templates.sync setup.copy setup.plan setup.update",
  "no number: changes one thing": `
    alerts.update alerts.addChannel alerts.updateChannel alerts.removeChannel alerts.rotateSecret alerts.test alerts.confirm
    assistant.agree assistant.draftTemplate assistant.translateTemplate assistant.proposeBinding assistant.explain assistant.try
    auth.login auth.signUp auth.confirmEmail auth.proveEmail auth.resendProof auth.resetPassword auth.forgotPassword auth.secondFactor auth.startPasskeySignIn auth.passkeySignIn
    auth.startPasskeyConfirm auth.startPasskey auth.addPasskey auth.removePasskey auth.enrollTotp auth.confirmTotp auth.removeTotp auth.logout
    auth.changePassword auth.changeName auth.changeEmail auth.confirm auth.switchAccount auth.revokeSession auth.signOutEverywhere
    bindings.create bindings.update bindings.restore bindings.delete bindings.backfill bindings.cancelBackfill
    events.replay events.sendTest notifications.cancel notifications.sendNow notifications.resend operations.stop optOuts.lift people.erase people.confirmErasure people.refuseErasure
     problems.acknowledge problems.snooze problems.resolve problems.note
    recipients.add recipients.update recipients.remove sandbox.markRead sandbox.answer sandbox.control
    settings.update settings.renameAccount settings.testConnection settings.connectSandbox settings.saveAssistant settings.removeAssistant
    sites.create sites.update sites.delete sites.sendExample sites.rotateWebhookSecret sites.rotateInboundToken sites.rotateApiKey
    templates.create templates.update templates.restore templates.submit templates.delete templates.setHeaderMedia tokens.create tokens.revoke
    users.acceptInvite users.invite users.invites.revoke users.resetPassword users.resetSecondFactor users.setRole users.remove
    views.create views.update views.delete webhooks.create webhooks.update webhooks.delete webhooks.rotateSecret webhooks.test webhookDeliveries.replay`,
};

export const judgedPaths: string[] = Object.values(judged).flatMap((paths) => paths.trim().split(/\s+/));
