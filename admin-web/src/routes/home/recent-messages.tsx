import { Card, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Section } from "../../ui/page/section.tsx";
import { reasonWords } from "../../ui/reason-words.ts";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { Recent, RecentMessage } from "./use-recent.ts";

const columns: Column<RecentMessage>[] = [
  { name: "To", kind: "title", cell: (message) => <Recipient {...message} /> },
  { name: "Template", cell: ({ template, language }) => `${template} (${language})` },
  { name: "Status", cell: (message) => <Status {...message} /> },
  { name: "When", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

export function RecentMessages({ items, error, retry }: Recent) {
  return (
    <Section
      title="Recently sent"
      actions={
        <TextLink to={paths.log} size="sm">
          Open the log
        </TextLink>
      }
    >
      {error !== null && <FailureNotice title="Could not load the log" error={error} onRetry={retry} />}
      {items?.length === 0 && (
        <Card withBorder>
          <EmptyState title="This site has sent nothing yet">
            Its messages stand here as soon as an event comes that a binding fits.
          </EmptyState>
        </Card>
      )}
      {items !== undefined && items.length > 0 && (
        <DataTable label="Recently sent" columns={columns} rows={items} rowKey={({ id }) => id} />
      )}
    </Section>
  );
}

function Recipient({ id, toPhone }: RecentMessage) {
  return (
    <TextLink to={paths.log} search={{ open: id }} inherit>
      {toPhone}
    </TextLink>
  );
}

function Status({ status, error, errorReason }: RecentMessage) {
  return (
    <div>
      <StatusBadge status={status} />
      {status === "failed" && (
        <Text size="xs" c="dimmed" mt={2}>
          {error?.title ?? (errorReason && reasonWords(errorReason))}
        </Text>
      )}
    </div>
  );
}
