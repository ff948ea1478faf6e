import { Button, NativeSelect, TextInput, Autocomplete, Anchor, Code, Stack } from "@mantine/core";
import { useSearch, useNavigate, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUuid } from "shared/core/uuid";
import { paths, auditCsv } from "../../paths.ts";
import { RoleOnly } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
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
        lead="Every change in the account: who made it, when, and from where."
        actions={
          <Button component="a" variant="default" href={csvAddress(search)} download>
            Download as CSV
          </Button>
        }
      >
        <AuditFilters search={search} />
        <AuditList search={search} />
      </Page>
    </RoleOnly>
  );
}

/** They stand in the address, so that a view can be sent to somebody and comes back with a reload. */
function AuditFilters({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const change = (changes: AuditSearch) =>
    void navigate({ to: paths.audit, search: (now) => readAuditSearch({ ...now, ...changes }), replace: true });
  return (
    <search aria-label="Filters" className={classes["filters"]}>
      <ActorFilter actor={search.actor} onChange={(actor) => change({ actor })} />
      <NativeSelect
        label="What"
        data={[{ value: "", label: "anything" }, ...choices(search.action)]}
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
        Clear
      </Button>
    </search>
  );
}

/** The named actions, and the chosen one should it be another. */
function choices(chosen: string | undefined) {
  const named = Object.entries(actionWords).map(([value, label]) => ({ value, label }));
  return chosen === undefined || chosen in actionWords ? named : [...named, { value: chosen, label: chosen }];
}

/** Whose changes are shown. */
function ActorFilter({ actor, onChange }: { actor: string | undefined; onChange: (actor: string) => void }) {
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const [text, type] = useTypedFilter(actor, onChange);
  const data = people.data?.items.map(({ email }) => email) ?? [];
  return <Autocomplete label="Who" placeholder="E-mail address" data={data} value={text} onChange={type} />;
}

type Entry = Outputs["audit"]["list"]["items"][number];

const columns: Column<Entry>[] = [
  { name: "What", kind: "title", cell: (entry) => <What {...entry} /> },
  { name: "Who", cell: ({ actor, tokenId }) => (tokenId === null ? actor : `${actor}, by a token`) },
  { name: "When", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "On", cell: (entry) => <Subject {...entry} /> },
  { name: "From", kind: "short", cell: ({ address }) => address ?? "the server itself" },
];

function AuditList({ search }: { search: AuditSearch }) {
  const entries = trpc.audit.list.useInfiniteQuery({ ...auditFilter(search), limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={entries} what="the audit" empty={<NothingFound />}>
      {(items) => <DataTable label="Audit" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function What({ action }: Entry) {
  const words = actionWords[action];
  if (words === undefined) return <Code>{action}</Code>;
  return <span title={action}>{words}</span>;
}

/** Nobody can open this page without having changed something, so only filters leave nothing. */
function NothingFound() {
  return (
    <EmptyState title="Nothing fits these filters">
      <Anchor component={Link} to={paths.audit} underline="always">
        Show everything
      </Anchor>
    </EmptyState>
  );
}

/** What people did, by the procedure that they called. One that is not here stands for itself. */
export const actionWords: Record<string, string> = {
  "auth.login": "signed in",
  "auth.logout": "signed out",
  "auth.signUp": "opened the account",
  "auth.changePassword": "changed the own password",
  "auth.resetPassword": "set a new password by a link",
  "auth.revokeSession": "ended an own session",
  "auth.signOutEverywhere": "signed out everywhere",
  "users.invite": "invited somebody",
  "users.invites.revoke": "took an invitation back",
  "users.acceptInvite": "accepted an invitation",
  "users.setRole": "changed somebody's role",
  "users.remove": "removed somebody",
  "users.resetPassword": "made a link for a new password",
  "tokens.create": "made an access token",
  "tokens.revoke": "revoked an access token",
  "settings.update": "changed the settings",
  "settings.renameAccount": "renamed the account",
  "settings.testConnection": "tested the connection",
  "settings.connectSandbox": "connected the sandbox",
  "sites.create": "made a site",
  "sites.update": "changed a site",
  "sites.delete": "deleted a site",
  "sites.rotateWebhookSecret": "replaced a site's secret",
  "sites.rotateApiKey": "replaced a site's key",
  "recipients.add": "added a recipient",
  "recipients.update": "changed a recipient",
  "recipients.remove": "removed a recipient",
  "templates.create": "made a template",
  "templates.update": "changed a template",
  "templates.submit": "submitted a template",
  "templates.delete": "deleted a template",
  "templates.setHeaderMedia": "set a template's header file",
  "templates.sync": "took over the platform's templates",
  "bindings.create": "made a binding",
  "bindings.update": "changed a binding",
  "bindings.delete": "deleted a binding",
  "notifications.resend": "sent a message again",
  "notifications.resendMany": "sent messages again",
  "media.upload": "uploaded a file",
  "people.erase": "erased a person",
  "optOuts.lift": "lifted an opt-out",
  "sandbox.markRead": "read a message on the sandbox phone",
};

/** What the server takes. */
export const auditFilter = (search: AuditSearch): AuditSearch => ({ ...search, ...daySpan(search) });

/** Where the same entries can be had as a file. */
export const csvAddress = (search: AuditSearch): string => fileAddress(auditCsv, auditFilter(search));

/** What was changed: its id, and the way to its page where it has one. */
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

const links: Record<SubjectPage, (id: string) => ReactNode> = {
  site: (siteId) => (
    <TextLink to={paths.site} params={{ siteId }}>
      The site
    </TextLink>
  ),
  template: (templateId) => (
    <TextLink to={paths.template} params={{ templateId }}>
      The template
    </TextLink>
  ),
  binding: (bindingId) => (
    <TextLink to={paths.binding} params={{ bindingId }}>
      The binding
    </TextLink>
  ),
  message: (open) => (
    <TextLink to={paths.log} search={{ open }}>
      The message
    </TextLink>
  ),
  resends: (resends) => (
    <TextLink to={paths.log} search={{ resends }}>
      How far it is
    </TextLink>
  ),
};

/** What an entry is about, as far as that has a page. */
type SubjectPage = "site" | "template" | "binding" | "message" | "resends";

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
