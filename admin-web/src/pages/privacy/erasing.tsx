import { Button, Card, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { sentenceCase } from "shared/core/text";
import { formatCount, formatParts, formatPercent } from "../../format.ts";
import { t } from "../../language.ts";
import { cache, type Outputs, settled, trpcClient } from "../../trpc.ts";
import { AskButton, ConfirmDialog } from "../../ui/base/dialogs.tsx";
import { Moment, Status } from "../../ui/base/facts.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { rich, Section, Dimmed, EmptyState } from "../../ui/base/page.tsx";
import { Sentences } from "../../ui/base/sentences.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { PhoneInput } from "../../ui/form/inputs.tsx";
import { cut } from "../../ui/list/cut-text.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { useFollowOperation } from "../../ui/operation/operations.tsx";
import { type Column } from "../../ui/table/data-table.tsx";
import asks from "./ask-labels.json";
import effectLabels from "./effect-labels.json";
import labels from "./labels.json";

/** A request to erase a person's data. */
type Erasure = Outputs["people"]["erasures"]["items"][number];

/** Erases the data of one person, and lists earlier requests. */
export const Erasing = () => (
  <Section
    title={t("Erase personal data")}
    lead={t("When a person asks for it: everything stored with their phone number is deleted or made unreadable, for good.")}
  >
    <ErasePerson />
    {/* Every request with its progress. The row of a finished one is the proof of the erasure. */}
    <PagedTable
      label={t("Erasure requests")}
      query={useLiveList("people.erasures", { limit: 20 }, { every: (rows) => rows.some(isRunning) && pollMs })}
      what={t("the requests")}
      empty={<EmptyState title={t("No requests yet")}>{t("Requests appear here with their progress and result.")}</EmptyState>}
      columns={columns}
    />
  </Section>
);

/** The phone is typed here and again to confirm, since there is no list of people. */
function ErasePerson() {
  const [opened, dialog] = useDisclosure(false);
  const follow = useFollowOperation();
  const form = useInputForm({
    initialValues: { phone: "" },
    check: by("phoneInput"),
    submit: () => {
      dialog.open();
      return Promise.resolve(false as const);
    },
  });
  const { phone } = form.values;
  const confirm = async () => {
    follow((await settled(trpcClient.people.erase.mutate({ phone }), cache.people, cache.optOuts)).operation.id);
    form.reset();
  };
  return (
    <Card maw="40rem">
      <Stack>
        <div>
          <Text>{t("In every site of the account, for events received until now:")}</Text>
          <Sentences mt={4} spacing={2} of={tableOf(effectLabels)} />
        </div>
        <InputForm form={form} label={t("Erase personal data")} failure={t("Nothing was erased")} isGuarded={false}>
          <PhoneInput label={t("Phone")} maw="20rem" {...form.at("phone")} />
          <Group>
            <Button type="submit" color="red.9">
              {t("Erase personal data")}
            </Button>
          </Group>
        </InputForm>
      </Stack>
      <ConfirmDialog
        title={t("Erase this person's data for good?")}
        action={t("Erase data")}
        typed={phone}
        opened={opened}
        onClose={dialog.close}
        onConfirm={confirm}
      >
        {t("The stored data of {phone} is erased in the background and cannot be restored. Earlier backups still contain it.", { phone })}
      </ConfirmDialog>
    </Card>
  );
}

const columns: Column<Erasure>[] = [
  { name: t("Person"), kind: "title", isNarrow: true, cell: ({ phone }) => phone },
  { name: t("Requested by"), kind: "short", cell: ({ requestedBy }) => requestedBy },
  { name: t("Requested"), kind: "short", cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
  { name: t("Status"), kind: "status", cell: (erasure) => <ErasureProgress {...erasure} /> },
  { name: t("Changed or removed"), cell: ({ counts }) => cut(sentenceCase(countWords(counts)) || t("Nothing"), 70) },
];

/** The time between two looks while a request is running. */
const pollMs = 1500;

const isRunning = ({ finishedAt }: Erasure): boolean => finishedAt === null;

/** Labels of the tables with personal data. */
const tableWords: Record<string, string> = tableOf(labels);

/** The changed rows by table; empty for none. */
export const countWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${tableWords[table] ?? t("other data")}: ${formatCount(count)}`)
    .join(", ");

function ErasureProgress({ progress, finishedAt }: Pick<Erasure, "progress" | "finishedAt">) {
  if (finishedAt === null) return <Status tone="waiting">{t("Running, {progress}", { progress: formatPercent(progress) })}</Status>;
  return <Status tone="delivered">{rich(t("Done, <0/>"), <Moment at={finishedAt} />)}</Status>;
}

type Request = Outputs["people"]["erasureRequests"]["items"][number];

/** What the account's shops ask to erase, until an owner decides. */
export const ShopRequests = () => (
  <Section
    title={t("Requests from your shops")}
    lead={t(
      "A shop asks for a customer's data to be erased. Check who is meant. After 14 days a request confirms itself. Only data of that shop's site is erased.",
    )}
  >
    <PagedTable
      label={t("Requests from your shops")}
      columns={requestColumns}
      query={useLiveList(
        "people.erasureRequests",
        { limit: 20 },
        { every: (rows) => rows.some(({ state }) => state === "confirmed") && pollMs },
      )}
      what={t("the shops' requests")}
      empty={
        <EmptyState title={t("No requests from shops")}>{t("Shopify sends them when a customer or the shop asks for it.")}</EmptyState>
      }
    />
  </Section>
);

const requestColumns: Column<Request>[] = [
  { name: t("Person"), kind: "title", cell: (request) => <Person {...request} /> },
  { name: t("Site"), cell: ({ site }) => site },
  { name: t("Requested"), kind: "short", cell: ({ askedAt }) => <Moment at={askedAt} /> },
  { name: t("Status"), cell: (request) => <State {...request} /> },
  { name: t("Actions"), kind: "buttons", cell: (request) => request.state === "asked" && <Decide {...request} /> },
];

const nameOf = ({ phone, email, customer, orders }: Request): string =>
  phone ??
  email ??
  (customer === null ? null : t("customer {customer}", { customer })) ??
  t("{count, plural, one {# order} other {# orders}}", { count: orders.length });

function Person(request: Request) {
  const { phone, email, customer, orders } = request;
  const name = nameOf(request);
  const more = [
    email !== null && email !== name && email,
    customer !== null && (phone ?? email) !== null && t("customer {customer}", { customer }),
    orders.length > 0 && t("orders {listed}", { listed: orders.slice(0, mostListed).join(", ") }),
    orders.length > mostListed && t("and {count} more", { count: orders.length - mostListed }),
  ];
  return (
    <Stack gap={2}>
      <bdi>{name}</bdi>
      {more.some(Boolean) && (
        <Dimmed>
          <bdi>{formatParts(more, " · ")}</bdi>
        </Dimmed>
      )}
    </Stack>
  );
}

const mostListed = 5;

function State({ state, dueAt, finishedAt, decidedBy, counts }: Request) {
  switch (state) {
    case "asked":
      return <Status tone="attention">{rich(t("Waits for you, until <0/>"), <Moment at={dueAt} />)}</Status>;
    case "confirmed":
      return <Status tone="waiting">{t("Running")}</Status>;
    case "refused":
      return <Status tone="waiting">{t("Refused by {decidedBy}", { decidedBy: decidedBy ?? "" })}</Status>;
    case "done":
      return (
        <>
          <Status tone="delivered">
            {rich(decidedBy === null ? t("Confirmed after 14 days, done <0/>") : t("Done, <0/>"), <Moment at={finishedAt ?? dueAt} />)}
          </Status>
          <Dimmed>{sentenceCase(countWords(counts)) || t("Nothing")}</Dimmed>
        </>
      );
  }
}

function Decide(request: Request) {
  const { id, site } = request;
  const { confirmErasure, refuseErasure } = trpcClient.people;
  const who = nameOf(request);
  return (
    <Group gap="xs">
      <AskButton question={asks.erase} values={{ who, site }} onConfirm={() => settled(confirmErasure.mutate({ id }), cache.people)} />
      <AskButton question={asks.refuse} values={{ who }} isMild onConfirm={() => settled(refuseErasure.mutate({ id }), cache.people)} />
    </Group>
  );
}
