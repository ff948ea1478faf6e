import { Autocomplete, Code, Stack } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUuid } from "shared/core/uuid";
import { t } from "../../language.ts";
import { paths, auditCsv } from "../../paths.ts";
import { RoleOnly } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { CsvButton, TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { type Filter, FilterBar } from "../../ui/filter-bar.tsx";
import { useTypedFilter } from "../../ui/filters.tsx";
import { inField, periodFilter } from "../../ui/list-filters.tsx";
import { Page } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { daySpan, fileAddress } from "../../ui/search-params.ts";
import { type AuditSearch, readAuditSearch } from "./route.ts";
import classes from "./audit.module.css";

export function AuditPage() {
  const search = useSearch({ from: `/signed-in${paths.audit}` });
  return (
    <RoleOnly needed="owner">
      <Page title={t("Audit")} actions={<CsvButton href={csvAddress(search)} />}>
        <FilterBar search={search} read={readAuditSearch} filters={useFilters(search)} />
        <AuditList search={search} />
      </Page>
    </RoleOnly>
  );
}

function useFilters({ action }: AuditSearch): Filter<AuditSearch>[] {
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const emails = people.data?.items.map(({ email }) => email) ?? [];
  return [
    {
      name: "actor",
      label: t("Who"),
      tell: ({ actor }) => actor ?? "",
      edit: ({ actor }, change) => <ActorField emails={emails} actor={actor} onChange={(value) => change({ actor: value })} />,
    },
    { name: "action", label: t("Action"), options: choices(action) },
    periodFilter(),
  ];
}

/** The known actions, and the chosen one if it is unknown. */
function choices(chosen: string | undefined) {
  const named = Object.entries(actionLabels).map(([value, label]) => ({ value, label }));
  return chosen === undefined || chosen in actionLabels ? named : [...named, { value: chosen, label: chosen }];
}

interface ActorFieldProps {
  emails: string[];
  actor: string | undefined;
  onChange: (actor: string) => void;
}

function ActorField({ emails, actor, onChange }: ActorFieldProps) {
  const [text, type] = useTypedFilter(actor, onChange);
  return <Autocomplete {...inField} label={t("Who")} placeholder={t("E-mail address")} data={emails} value={text} onChange={type} />;
}

type Entry = Outputs["audit"]["list"]["items"][number];

const columns: Column<Entry>[] = [
  { name: t("Action"), kind: "title", cell: (entry) => <Action {...entry} /> },
  { name: t("Who"), cell: ({ actor, tokenId }) => (tokenId === null ? actor : t("{actor}, with a token", { actor })) },
  { name: t("When"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Subject"), cell: (entry) => <Subject {...entry} /> },
  { name: t("What changed"), cell: ({ changes }) => <Changes changes={changes} /> },
  { name: t("IP address"), kind: "short", cell: ({ address }) => address ?? t("the server") },
];

function AuditList({ search }: { search: AuditSearch }) {
  const entries = trpc.audit.list.useInfiniteQuery({ ...auditFilter(search), limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={entries} what={t("the audit")} empty={null} filtered={null}>
      {(items) => <DataTable label={t("Audit")} columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function Action({ action }: Entry) {
  const label = actionLabels[action];
  if (label === undefined) return <Code>{action}</Code>;
  return <span title={action}>{label}</span>;
}

/** The id of the changed thing, and a link if it has a page. */
function Subject({ action, subject }: Outputs["audit"]["list"]["items"][number]) {
  if (subject === null) return null;
  const page = isUuid(subject) ? subjectPage(action) : undefined;
  return (
    <Stack gap={2} align="flex-start">
      {page !== undefined && links[page](subject)}
      <Code>{subject}</Code>
    </Stack>
  );
}

/** More changes than these are folded in the table. */
const fewChanges = 3;

function Changes({ changes }: Pick<Entry, "changes">) {
  if (changes.length === 0) return null;
  const list = (
    <ul className={classes["changes"]}>
      {changes.map((change) => (
        <li key={change.member}>{describeChange(change)}</li>
      ))}
    </ul>
  );
  if (changes.length <= fewChanges) return list;
  return (
    <details>
      <summary>{t("{count} values", { count: changes.length })}</summary>
      {list}
    </details>
  );
}

/** `rate limit per second: 5, was none` */
export function describeChange(change: Entry["changes"][number]): string {
  const name = change.member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (change.kept === "secret") return t("{name}: changed (hidden)", { name });
  if (change.kept === "erased") return t("{name}: erased with a person's data", { name });
  const { before, after } = change;
  if (after === undefined) return t("{name}: was {before}", { name, before: describeValue(before) });
  return before === undefined
    ? `${name}: ${describeValue(after)}`
    : t("{name}: {after}, was {before}", { name, after: describeValue(after), before: describeValue(before) });
}

function describeValue(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}

type SubjectPage = "site" | "template" | "binding" | "message" | "operation";

const links: Record<SubjectPage, (id: string) => ReactNode> = {
  site: (siteId) => (
    <TextLink to={paths.site} params={{ siteId }}>
      {t("Open site")}
    </TextLink>
  ),
  template: (templateId) => (
    <TextLink to={paths.template} params={{ templateId }}>
      {t("Open template")}
    </TextLink>
  ),
  binding: (bindingId) => (
    <TextLink to={paths.binding} params={{ bindingId }}>
      {t("Open binding")}
    </TextLink>
  ),
  message: (open) => (
    <TextLink to={paths.log} search={{ open }}>
      {t("Open message")}
    </TextLink>
  ),
  operation: (operationId) => (
    <TextLink to={paths.log} search={{ operationId }}>
      {t("Show messages")}
    </TextLink>
  ),
};

/** Pages by procedure. Deleted things have no page. */
const pages: Record<string, SubjectPage> = {
  "sites.create": "site",
  "sites.update": "site",
  "sites.rotateWebhookSecret": "site",
  "sites.rotateApiKey": "site",
  "shopify.customers/redact": "site",
  "shopify.customers/data_request": "site",
  "shopify.shop/redact": "site",
  "templates.create": "template",
  "templates.update": "template",
  "templates.restore": "template",
  "templates.submit": "template",
  "templates.setHeaderMedia": "template",
  "bindings.create": "binding",
  "bindings.update": "binding",
  "bindings.restore": "binding",
  "notifications.resend": "message",
  "notifications.resendMany": "operation",
  "notifications.cancelMany": "operation",
  "notifications.sendNowMany": "operation",
  "operations.stop": "operation",
};

export const subjectPage = (action: string): SubjectPage | undefined => (Object.hasOwn(pages, action) ? pages[action] : undefined);

/** Labels by procedure. An unknown one shows its own name. */
export const actionLabels: Record<string, string> = {
  "auth.login": t("Signed in"),
  "auth.failedLogin": t("Failed sign-in"),
  "auth.secondFactor": t("Entered the second factor"),
  "auth.enrollTotp": t("Began to set up an authenticator app"),
  "auth.confirmTotp": t("Set up an authenticator app"),
  "auth.removeTotp": t("Removed the authenticator app"),
  "auth.passkeySignIn": t("Signed in with a passkey"),
  "auth.openId": t("Signed in with the company sign-in"),
  "auth.startPasskey": t("Began to add a passkey"),
  "auth.addPasskey": t("Added a passkey"),
  "auth.removePasskey": t("Removed a passkey"),
  "auth.confirm": t("Confirmed who they are"),
  "auth.logout": t("Signed out"),
  "auth.signUp": t("Created the account"),
  "auth.switchAccount": t("Switched to the account"),
  "auth.changePassword": t("Changed own password"),
  "auth.changeName": t("Changed own name"),
  "auth.changeEmail": t("Changed own address"),
  "auth.confirmEmail": t("Changed own address with a link"),
  "auth.resetPassword": t("Reset the password with a link"),
  "auth.revokeSession": t("Ended own session"),
  "auth.signOutEverywhere": t("Signed out everywhere"),
  "users.invite": t("Invited a person"),
  "users.invites.revoke": t("Withdrew an invitation"),
  "users.acceptInvite": t("Accepted an invitation"),
  "users.setRole": t("Changed a person's role"),
  "users.remove": t("Removed a person"),
  "users.resetPassword": t("Created a password reset link"),
  "users.resetSecondFactor": t("Removed a person's second factor"),
  "tokens.create": t("Created an access token"),
  "tokens.revoke": t("Revoked an access token"),
  "alerts.update": t("Changed the alert settings"),
  "alerts.addChannel": t("Added an alert channel"),
  "alerts.updateChannel": t("Switched an alert channel on or off"),
  "alerts.removeChannel": t("Removed an alert channel"),
  "alerts.rotateSecret": t("Rotated an alert channel's secret"),
  "alerts.test": t("Sent a test to an alert channel"),
  "alerts.confirm": t("Confirmed an address for alerts"),
  "settings.update": t("Changed the settings"),
  "settings.renameAccount": t("Renamed the account"),
  "settings.testConnection": t("Tested the connection"),
  "settings.connectSandbox": t("Connected the sandbox"),
  "settings.saveAssistant": t("Set up the assistant"),
  "settings.removeAssistant": t("Removed the assistant's provider"),
  "sites.create": t("Added a site"),
  "sites.update": t("Changed a site"),
  "sites.delete": t("Deleted a site"),
  "sites.rotateWebhookSecret": t("Rotated a site's secret"),
  "sites.rotateApiKey": t("Rotated a site's API key"),
  "sites.rotateInboundToken": t("Replaced a site's shop address"),
  "sites.sendExample": t("Sent an example event"),
  "recipients.add": t("Added a recipient"),
  "recipients.update": t("Changed a recipient"),
  "recipients.remove": t("Removed a recipient"),
  "templates.create": t("Created a template"),
  "templates.update": t("Changed a template"),
  "templates.restore": t("Restored a version of a template"),
  "templates.submit": t("Submitted a template"),
  "templates.delete": t("Deleted a template"),
  "templates.setHeaderMedia": t("Set a template's header file"),
  "templates.sync": t("Synced templates"),
  "bindings.create": t("Created a binding"),
  "bindings.update": t("Changed a binding"),
  "bindings.restore": t("Restored a version of a binding"),
  "bindings.delete": t("Deleted a binding"),
  "bindings.changeMany": t("Changed bindings together"),
  "bindings.backfill": t("Started a backfill"),
  "bindings.cancelBackfill": t("Cancelled a backfill"),
  "events.replay": t("Replayed an event"),
  "events.sendTest": t("Sent a test message"),
  "notifications.cancel": t("Cancelled a scheduled message"),
  "notifications.cancelMany": t("Cancelled scheduled messages"),
  "notifications.sendNow": t("Sent a scheduled message at once"),
  "notifications.resend": t("Resent a message"),
  "notifications.resendMany": t("Resent messages"),
  "notifications.sendNowMany": t("Sent scheduled messages at once"),
  "media.upload": t("Uploaded a file"),
  "views.create": t("Saved a view"),
  "views.update": t("Changed a view"),
  "views.delete": t("Deleted a view"),
  "webhooks.create": t("Added a webhook endpoint"),
  "webhooks.update": t("Changed a webhook endpoint"),
  "webhooks.delete": t("Deleted a webhook endpoint"),
  "webhooks.rotateSecret": t("Rotated a site's outbound secret"),
  "webhooks.test": t("Sent a test event to an endpoint"),
  "webhookDeliveries.replay": t("Replayed a webhook delivery"),
  "webhookDeliveries.replayFailed": t("Replayed failed webhook deliveries"),
  "assistant.agree": t("Agreed to what the assistant's provider gets"),
  "assistant.draftTemplate": t("Asked the assistant to draft a template"),
  "assistant.translateTemplate": t("Asked the assistant to translate a template"),
  "assistant.proposeBinding": t("Asked the assistant to propose a binding"),
  "assistant.explain": t("Asked the assistant to explain failures"),
  "assistant.try": t("Tested the assistant connection"),
  "export.audit.csv": t("Downloaded the audit"),
  "export.notifications.csv": t("Downloaded the message log"),
  "operations.stop": t("Stopped an operation"),
  "problems.acknowledge": t("Acknowledged a problem"),
  "problems.snooze": t("Snoozed a problem"),
  "problems.note": t("Noted something about a problem"),
  "problems.resolve": t("Resolved a problem"),
  "people.erase": t("Erased a person"),
  "people.confirmErasure": t("Confirmed a shop's request to erase"),
  "people.refuseErasure": t("Refused a shop's request to erase"),
  "auth.proveEmail": t("Confirmed the e-mail address"),
  "auth.resendProof": t("Had the link to confirm the address sent again"),
  "optOuts.lift": t("Lifted an opt-out"),
  "shopify.customers/redact": t("Shopify asked to erase a person"),
  "shopify.customers/data_request": t("Shopify asked for a person's data"),
  "shopify.shop/redact": t("Shopify asked to erase a shop"),
  "sandbox.answer": t("Answered on the sandbox phone"),
  "sandbox.control": t("Played people or WhatsApp on the sandbox phone"),
  "sandbox.markRead": t("Read a message on the sandbox phone"),
};

/** The filters as the server takes them. */
export const auditFilter = (search: AuditSearch): AuditSearch => ({ ...search, ...daySpan(search) });

export const csvAddress = (search: AuditSearch): string => fileAddress(auditCsv, auditFilter(search));
