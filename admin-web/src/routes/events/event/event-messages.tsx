import { paths } from "../../../paths.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { StatusBadge } from "../../../ui/status-badge.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { EventDetails } from "./event-details.ts";

type Binding = EventDetails["trace"]["bindings"][number];
type Row = Binding["messages"][number] & { template: string };

const columns: Column<Row>[] = [
  { name: "To", kind: "title", cell: (message) => <Recipient {...message} /> },
  { name: "Template", cell: ({ template }) => template },
  { name: "Status", kind: "short", cell: ({ status }) => <StatusBadge status={status} /> },
];

/** The messages that the event set off; each stands in the log. */
export function EventMessages({ bindings }: { bindings: Binding[] }) {
  const rows = bindings.flatMap(({ template, messages }) => messages.map((message) => ({ ...message, template })));
  if (rows.length === 0) return null;
  return (
    <Section title="Its messages">
      <DataTable label="Its messages" columns={columns} rows={rows} rowKey={({ id }) => id} />
    </Section>
  );
}

function Recipient({ id, toPhone, resendOf }: Row) {
  return (
    <>
      <TextLink to={paths.log} search={{ open: id }}>
        {toPhone}
      </TextLink>
      {resendOf !== null && " (sent again)"}
    </>
  );
}
