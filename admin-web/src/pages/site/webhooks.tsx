import { Button, Code, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmButton, Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { type Endpoint, EndpointState } from "../../ui/endpoints.tsx";
import { UnsavedGuard } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointTest } from "./endpoint-test.tsx";
import { SecretsTable } from "./secrets.tsx";
import type { SiteSecret } from "./use-site.ts";
import classes from "../../ui/ui.module.css";

const lookEveryMs = 10_000;

/** The addresses that hear what becomes of the site's messages, and the secret that signs what they get. */
export function WebhooksSection({ siteId, secrets }: { siteId: string; secrets: SiteSecret[] }) {
  const mayChange = useMay("operator");
  const [asked, ask] = useState<Asked | null>(null);
  const endpoints = trpc.webhooks.list.useInfiniteQuery(
    { siteId, limit: 50 },
    { getNextPageParam: (page) => page.nextCursor, refetchInterval: lookEveryMs },
  );
  const hasSecret = secrets.some(({ kind }) => kind === "outbound_secret");
  return (
    <Section
      title="Webhooks"
      lead="Tidings posts to addresses of yours what becomes of this site's messages, signed, as soon as it is known."
      actions={
        mayChange && (
          <Button variant="light" size="xs" onClick={() => ask({ for: "add" })}>
            Add endpoint
          </Button>
        )
      }
    >
      <PagedList query={endpoints} what="the endpoints" empty={<NoEndpoint mayChange={mayChange} />}>
        {(items) => (
          <Stack gap="sm">
            <DataTable label="Endpoints" columns={columnsOf(mayChange, ask)} rows={items} rowKey={({ id }) => id} />
            <Text size="sm">
              <TextLink to={paths.webhooks} search={{ siteId }}>
                Everything that they were told
              </TextLink>
            </Text>
          </Stack>
        )}
      </PagedList>
      {hasSecret && <SecretsTable label="Secret of the endpoints" kinds={outboundKinds} siteId={siteId} secrets={secrets} />}
      <EndpointDialogs siteId={siteId} asked={asked} onClose={() => ask(null)} />
    </Section>
  );
}

const outboundKinds = ["outbound_secret" as const];

/** What somebody is about to do. */
type Asked = { for: "add" } | { for: "edit" | "test"; endpoint: Endpoint };

const NoEndpoint = ({ mayChange }: { mayChange: boolean }) => (
  <EmptyState title="No endpoints yet">
    An endpoint is an address of your backend that hears when a message is sent, delivered, read or has failed.{" "}
    {mayChange ? "Add one, give it the secret, then send it a test event." : "Operators and owners can add endpoints."} The documentation
    has{" "}
    <TextLink to={paths.topic} params={{ topic: "webhooks" }}>
      code to receive webhooks
    </TextLink>
    .
  </EmptyState>
);

const columnsOf = (mayChange: boolean, ask: (asked: Asked) => void): Column<Endpoint>[] => [
  { name: "Address", kind: "title", cell: (endpoint) => <Address endpoint={endpoint} /> },
  { name: "State", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  ...(mayChange
    ? [{ name: "Actions", kind: "buttons", cell: (endpoint) => <Actions endpoint={endpoint} ask={ask} /> } satisfies Column<Endpoint>]
    : []),
];

function Address({ endpoint: { id, url, types } }: { endpoint: Endpoint }) {
  return (
    <>
      <TextLink to={paths.webhooks} search={{ webhookId: id }} fw={600} underline="hover">
        {url}
      </TextLink>
      <Text size="sm" c="dimmed" fw={400}>
        {types.join(", ")}
      </Text>
    </>
  );
}

function Actions({ endpoint, ask }: { endpoint: Endpoint; ask: (asked: Asked) => void }) {
  const cache = trpc.useUtils();
  const remove = trpc.webhooks.delete.useMutation({ onSuccess: () => cache.webhooks.list.invalidate() });
  const { id, url, enabled } = endpoint;
  const button = (action: "test" | "edit", label: string) => (
    <Button size="compact-sm" variant="default" onClick={() => ask({ for: action, endpoint })}>
      {label}
      <VisuallyHidden> {url}</VisuallyHidden>
    </Button>
  );
  return (
    <div className={classes["actions"]}>
      {/* One that is off is told nothing. */}
      {enabled && button("test", "Test")}
      {button("edit", "Edit")}
      <ConfirmButton
        size="compact-sm"
        label="Delete"
        aria-label={`Delete ${url}`}
        title="Delete this endpoint?"
        action="Delete endpoint"
        onConfirm={() => remove.mutateAsync({ id })}
      >
        <Code>{url}</Code> is told nothing more, and the log of what it was told is deleted. To stop it for a while, switch it off instead.
      </ConfirmButton>
    </div>
  );
}

interface EndpointDialogsProps {
  siteId: string;
  asked: Asked | null;
  onClose: () => void;
}

function EndpointDialogs({ siteId, asked, onClose }: EndpointDialogsProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const add = (given: string | undefined) => {
    onClose();
    if (given !== undefined) setSecret(given);
  };
  const endpoint = asked !== null && asked.for !== "add" ? asked.endpoint : null;
  return (
    <>
      {/* Closed before the answer, the secret still shows: it is shown nowhere else. */}
      <Dialog title="Add endpoint" opened={asked?.for === "add"} onClose={onClose}>
        <EndpointForm siteId={siteId} onSaved={add} onCancel={onClose} />
      </Dialog>
      <Dialog title="Secret of the endpoints" opened={secret !== null} onClose={() => setSecret(null)} insists>
        <SecretOnce label="Secret of the endpoints" secret={secret ?? ""} onSaved={() => setSecret(null)}>
          <UnsavedGuard isUnsaved={() => true} loss="You have not saved the secret of the endpoints. It is not shown again." />
          It signs every request to this site&apos;s endpoints: give it to your backend, which checks each request by it.
        </SecretOnce>
      </Dialog>
      <Dialog title="Edit endpoint" opened={asked?.for === "edit"} onClose={onClose}>
        {endpoint !== null && <EndpointForm siteId={siteId} endpoint={endpoint} onSaved={onClose} onCancel={onClose} />}
      </Dialog>
      <Dialog title="Send test event" opened={asked?.for === "test"} onClose={onClose}>
        {endpoint !== null && <EndpointTest endpoint={endpoint} onClose={onClose} />}
      </Dialog>
    </>
  );
}
