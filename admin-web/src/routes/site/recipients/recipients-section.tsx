import { Stack } from "@mantine/core";
import { activePhonesLimit } from "shared/core/input/sites";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { PagedList } from "../../../ui/states/paged-list.tsx";
import { AddRecipientForm } from "./add-recipient-form.tsx";
import { RecipientActions } from "./recipient-actions.tsx";
import { RecipientSwitch } from "./recipient-switch.tsx";
import type { Recipient } from "./recipient.ts";

const columns = (mayChange: boolean): Column<Recipient>[] => [
  { name: "Phone", kind: "title", cell: ({ phone }) => phone },
  { name: "Label", cell: ({ label }) => label },
  {
    name: "Active",
    cell: (recipient) => (mayChange ? <RecipientSwitch recipient={recipient} /> : recipient.active ? "yes" : "no"),
  },
  ...(mayChange
    ? [{ name: "Actions", kind: "buttons", cell: (recipient) => <RecipientActions recipient={recipient} /> } satisfies Column<Recipient>]
    : []),
];

/** The site's own list of phones. */
export function RecipientsSection({ siteId }: { siteId: string }) {
  const mayChange = useMay("operator");
  const recipients = trpc.recipients.list.useInfiniteQuery({ siteId, limit: 200 }, { getNextPageParam: (page) => page.nextCursor });
  const active = recipients.data?.pages.flatMap((page) => page.items).filter((each) => each.active).length ?? 0;
  const count = recipients.data === undefined || recipients.hasNextPage ? "" : ` ${active} of ${activePhonesLimit} are active.`;
  return (
    <Section title="Recipients" lead={`Bindings to the site's own list send to every active phone here.${count}`}>
      <Stack gap="sm">
        {mayChange && <AddRecipientForm siteId={siteId} />}
        <PagedList
          query={recipients}
          what="the recipients"
          empty={
            <EmptyState title="No phone on the list">
              Put here whoever is to hear of this site's events beside its customers: the shop's owner, the front desk.
            </EmptyState>
          }
        >
          {(items) => <DataTable label="Recipients" columns={columns(mayChange)} rows={items} rowKey={({ id }) => id} />}
        </PagedList>
      </Stack>
    </Section>
  );
}
