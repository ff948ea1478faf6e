import { Button, Card, Group, List, Stack, Text, Progress } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { erasePersonInput } from "shared/core/input/team";
import { formatCount, formatPercent } from "../../format.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";

/** A request to forget somebody. */
type Erasure = Outputs["people"]["erasures"]["items"][number];

/** Forgetting one person, and what became of earlier requests. */
export function Erasing() {
  return (
    <Section
      title="Forget one person"
      lead="On a person's request: whatever here holds their phone is removed or made unreadable, for good."
    >
      <ErasePerson />
      <Erasures />
    </Section>
  );
}

/** Whose data, typed here and once more to confirm: there is no list of people to pick from. */
function ErasePerson() {
  const [phone, setPhone] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const erase = trpc.people.erase.useMutation({ onSettled: () => Promise.all([cache.people.invalidate(), cache.optOuts.invalidate()]) });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const problem = erasePersonInput.safeParse({ phone }).error?.issues[0]?.message ?? null;
    setError(problem);
    if (problem === null) dialog.open();
  };
  const confirm = async () => {
    await erase.mutateAsync({ phone });
    setPhone("");
    setRound(round + 1);
  };
  return (
    <Card withBorder>
      <Stack gap="md">
        <WhatIsErased />
        <form onSubmit={ask} aria-label="Forget one person" noValidate>
          <Stack gap="sm">
            <PhoneInput key={round} label="Phone" maw="20rem" error={error} onChange={setPhone} />
            <Group>
              <Button type="submit" color="red.9">
                Forget this person
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
      <ConfirmDialog
        title="Forget this person for good?"
        action="Forget"
        typed={phone}
        opened={opened}
        onClose={dialog.close}
        onConfirm={confirm}
      >
        What is stored of {phone} is removed in the background, and nobody can bring it back. Backups that were made before still hold it.
      </ConfirmDialog>
    </Card>
  );
}

function WhatIsErased() {
  return (
    <div>
      <Text size="sm">In every site of the account, for events up to now:</Text>
      <List size="sm" mt={4} spacing={2}>
        <List.Item>payloads that name the phone are removed, with their orders and samples;</List.Item>
        <List.Item>messages stay in the log as a line, with the phone masked and without what was said;</List.Item>
        <List.Item>the phone leaves recipients and test phones; an opt-out still counts, as a digest.</List.Item>
      </List>
    </div>
  );
}

const columns: Column<Erasure>[] = [
  { name: "Person", kind: "title", cell: ({ phone }) => phone },
  { name: "Asked for by", cell: ({ requestedBy }) => requestedBy },
  { name: "On", kind: "short", cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
  { name: "State", cell: (erasure) => <ErasureProgress {...erasure} /> },
  { name: "Changed or removed", cell: ({ counts }) => countWords(counts) || "nothing" },
];

/** Milliseconds between two looks while one is under way. */
const pollEvery = 1500;

/** Every request, with how far it is; of one that is done the row is the certificate. */
function Erasures() {
  const erasures = trpc.people.erasures.useInfiniteQuery(
    { limit: 20 },
    {
      getNextPageParam: (page) => page.nextCursor,
      refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isUnderWay)) ? pollEvery : false),
    },
  );
  return (
    <PagedList
      query={erasures}
      what="the requests"
      empty={<EmptyState title="Nobody was forgotten yet">Each request stands here, with how far it is and what it changed.</EmptyState>}
    >
      {(items) => <DataTable label="Requests to forget somebody" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

const isUnderWay = ({ finishedAt }: Erasure): boolean => finishedAt === null;

/** Tables that hold something of people, in few words; one that is not here stands for itself. */
const tableWords: Record<string, string> = {
  event_payload: "payloads",
  notification: "messages",
  event: "events",
  customer_order: "orders",
  idempotency: "stored answers",
  site_recipient: "recipients",
  site: "test phones",
  event_kind: "samples and event names",
  opt_out: "opt-outs",
  resend_job: "resends",
  audit_entry: "audit entries",
  "sandbox.message": "on the sandbox phone",
};

/** How many rows of what were changed; empty for none. */
export const countWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${formatCount(count)} ${tableWords[table] ?? table}`)
    .join(", ");

function ErasureProgress({ progress, finishedAt }: Pick<Erasure, "progress" | "finishedAt">) {
  if (finishedAt !== null) {
    return (
      <>
        done, <Moment at={finishedAt} />
      </>
    );
  }
  return (
    <>
      <Text size="sm">under way, {formatPercent(progress)}</Text>
      <Progress value={progress * 100} mt={4} miw="6rem" aria-label="How far it is" />
    </>
  );
}
