import { Button, NativeSelect, TextInput, Autocomplete, Anchor, Code, Stack } from "@mantine/core";
import { useSearch, useNavigate, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUuid } from "shared/core/uuid";
import { paths, auditCsv } from "../../paths.ts";
import { RoleOnly } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { CsvButton, TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { useTypedFilter } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { daySpan, fileAddress } from "../../ui/search-params.ts";
import { type AuditSearch, readAuditSearch } from "./route.ts";
import classes from "./audit.module.css";

export function AuditPage() {
  const search = useSearch({ from: `/signed-in${paths.audit}` });
  return (
    <RoleOnly needed="owner">
      <Page
        title="Audit"
        lead="Every change in the account: who made it, when, from where, and what was there before."
        actions={<CsvButton href={csvAddress(search)} />}
      >
        <AuditFilters search={search} />
        <AuditList search={search} />
      </Page>
    </RoleOnly>
  );
}

/** The filters are kept in the address, so that a view can be shared and reloaded. */
function AuditFilters({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const change = (changes: AuditSearch) =>
    void navigate({ to: paths.audit, search: (now) => readAuditSearch({ ...now, ...changes }), replace: true });
  return (
    <search aria-label="Filters" className={classes["filters"]}>
      <ActorFilter actor={search.actor} onChange={(actor) => change({ actor })} />
      <NativeSelect
        label="Action"
        data={[{ value: "", label: "Any action" }, ...choices(search.action)]}
        value={search.action ?? ""}
        onChange={(event) => change({ action: event.currentTarget.value })}
      />
      <TextInput type="date" label="From" value={search.from ?? ""} onChange={(event) => change({ from: event.currentTarget.value })} />
      <TextInput type="date" label="To" value={search.to ?? ""} onChange={(event) => change({ to: event.currentTarget.value })} />
      <Button
        variant="default"
        w="fit-content"
        disabled={Object.values(search).every((value) => value === undefined)}
        onClick={() => void navigate({ to: paths.audit, search: {} })}
      >
        Clear filters
      </Button>
    </search>
  );
}

/** The known actions, and the chosen one if it is unknown. */
function choices(chosen: string | undefined) {
  const named = Object.entries(actionLabels).map(([value, label]) => ({ value, label }));
  return chosen === undefined || chosen in actionLabels ? named : [...named, { value: chosen, label: chosen }];
}

function ActorFilter({ actor, onChange }: { actor: string | undefined; onChange: (actor: string) => void }) {
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const [text, type] = useTypedFilter(actor, onChange);
  const data = people.data?.items.map(({ email }) => email) ?? [];
  return <Autocomplete label="Who" placeholder="E-mail address" data={data} value={text} onChange={type} />;
}

type Entry = Outputs["audit"]["list"]["items"][number];

const columns: Column<Entry>[] = [
  { name: "Action", kind: "title", cell: (entry) => <Action {...entry} /> },
  { name: "Who", cell: ({ actor, tokenId }) => (tokenId === null ? actor : `${actor}, with a token`) },
  { name: "When", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Subject", cell: (entry) => <Subject {...entry} /> },
  { name: "What changed", cell: ({ changes }) => <Changes changes={changes} /> },
  { name: "IP address", kind: "short", cell: ({ address }) => address ?? "the server" },
];

function AuditList({ search }: { search: AuditSearch }) {
  const entries = trpc.audit.list.useInfiniteQuery({ ...auditFilter(search), limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={entries} what="the audit" empty={<NothingFound />}>
      {(items) => <DataTable label="Audit" columns={columns} rows={items} rowKey={({ id }) => id} />}
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

/** As many stand in the table as they are; more are folded. */
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
      <summary>{changes.length} values</summary>
      {list}
    </details>
  );
}

/** `rate limit per second: 5, was none` */
export function describeChange(change: Entry["changes"][number]): string {
  const name = change.member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (change.kept === "secret") return `${name}: changed, and not shown`;
  if (change.kept === "erased") return `${name}: erased, since it told of a person`;
  const { before, after } = change;
  if (after === undefined) return `${name}: was ${describeValue(before)}`;
  return before === undefined ? `${name}: ${describeValue(after)}` : `${name}: ${describeValue(after)}, was ${describeValue(before)}`;
}

function describeValue(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}

type SubjectPage = "site" | "template" | "binding" | "message" | "resends";

const links: Record<SubjectPage, (id: string) => ReactNode> = {
  site: (siteId) => (
    <TextLink to={paths.site} params={{ siteId }}>
      Open site
    </TextLink>
  ),
  template: (templateId) => (
    <TextLink to={paths.template} params={{ templateId }}>
      Open template
    </TextLink>
  ),
  binding: (bindingId) => (
    <TextLink to={paths.binding} params={{ bindingId }}>
      Open binding
    </TextLink>
  ),
  message: (open) => (
    <TextLink to={paths.log} search={{ open }}>
      Open message
    </TextLink>
  ),
  resends: (resends) => (
    <TextLink to={paths.log} search={{ resends }}>
      Show progress
    </TextLink>
  ),
};

/** By procedure. Deleted things have no page. */
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
  "templates.submit": "template",
  "templates.setHeaderMedia": "template",
  "bindings.create": "binding",
  "bindings.update": "binding",
  "notifications.resend": "message",
  "notifications.resendMany": "resends",
};

export const subjectPage = (action: string): SubjectPage | undefined => (Object.hasOwn(pages, action) ? pages[action] : undefined);

/** Only filters can leave the list empty: signing in is an entry. */
function NothingFound() {
  return (
    <EmptyState title="No changes match these filters">
      <Anchor component={Link} to={paths.audit} underline="always">
        Clear filters
      </Anchor>
    </EmptyState>
  );
}

/** By procedure. An unknown one shows its own name. */
export const actionLabels: Record<string, string> = {
  "auth.login": "Signed in",
  "auth.failedLogin": "Failed sign-in",
  "auth.secondFactor": "Entered the second factor",
  "auth.enrollTotp": "Began to set up an authenticator app",
  "auth.confirmTotp": "Set up an authenticator app",
  "auth.removeTotp": "Removed the authenticator app",
  "auth.passkeySignIn": "Signed in with a passkey",
  "auth.openId": "Signed in with the company sign-in",
  "auth.startPasskey": "Began to add a passkey",
  "auth.addPasskey": "Added a passkey",
  "auth.removePasskey": "Removed a passkey",
  "auth.confirm": "Confirmed who they are",
  "auth.logout": "Signed out",
  "auth.signUp": "Created the account",
  "auth.changePassword": "Changed own password",
  "auth.resetPassword": "Reset the password with a link",
  "auth.revokeSession": "Ended own session",
  "auth.signOutEverywhere": "Signed out everywhere",
  "users.invite": "Invited a person",
  "users.invites.revoke": "Withdrew an invitation",
  "users.acceptInvite": "Accepted an invitation",
  "users.setRole": "Changed a person's role",
  "users.remove": "Removed a person",
  "users.resetPassword": "Created a password reset link",
  "users.resetSecondFactor": "Removed a person's second factor",
  "tokens.create": "Created an access token",
  "tokens.revoke": "Revoked an access token",
  "settings.update": "Changed the settings",
  "settings.renameAccount": "Renamed the account",
  "settings.testConnection": "Tested the connection",
  "settings.connectSandbox": "Connected the sandbox",
  "sites.create": "Added a site",
  "sites.update": "Changed a site",
  "sites.delete": "Deleted a site",
  "sites.rotateWebhookSecret": "Rotated a site's secret",
  "sites.rotateApiKey": "Rotated a site's API key",
  "recipients.add": "Added a recipient",
  "recipients.update": "Changed a recipient",
  "recipients.remove": "Removed a recipient",
  "templates.create": "Created a template",
  "templates.update": "Changed a template",
  "templates.submit": "Submitted a template",
  "templates.delete": "Deleted a template",
  "templates.setHeaderMedia": "Set a template's header file",
  "templates.sync": "Synced templates",
  "bindings.create": "Created a binding",
  "bindings.update": "Changed a binding",
  "bindings.delete": "Deleted a binding",
  "notifications.resend": "Resent a message",
  "notifications.resendMany": "Resent messages",
  "media.upload": "Uploaded a file",
  "export.audit.csv": "Downloaded the audit",
  "export.notifications.csv": "Downloaded the message log",
  "people.erase": "Erased a person",
  "optOuts.lift": "Lifted an opt-out",
  "shopify.customers/redact": "Shopify asked to erase a person",
  "shopify.customers/data_request": "Shopify asked for a person's data",
  "shopify.shop/redact": "Shopify asked to erase a shop",
  "sandbox.markRead": "Read a message on the sandbox phone",
};

/** The filters as the server takes them. */
export const auditFilter = (search: AuditSearch): AuditSearch => ({ ...search, ...daySpan(search) });

export const csvAddress = (search: AuditSearch): string => fileAddress(auditCsv, auditFilter(search));
