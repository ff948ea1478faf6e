import { Group, Stack } from "@mantine/core";
import { t } from "../../language.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { type Column, EmptyState } from "../../ui/data-table.tsx";
import { ConfirmButton } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { useLiveList } from "../../ui/live-list.tsx";
import { Dimmed, rich, Section } from "../../ui/page.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { countWords } from "./erasing.tsx";

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
      columns={columns}
      query={useLiveList("people.erasureRequests", { limit: 20 }, { every: (rows) => rows.some(isRunning) && pollMs })}
      what={t("the shops' requests")}
      empty={
        <EmptyState title={t("No requests from shops")}>{t("Shopify sends them when a customer or the shop asks for it.")}</EmptyState>
      }
    />
  </Section>
);

const pollMs = 1500;
const isRunning = ({ state }: Request): boolean => state === "confirmed";

const columns: Column<Request>[] = [
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
  ].filter(Boolean);
  return (
    <Stack gap={2}>
      <bdi>{name}</bdi>
      {more.length > 0 && (
        <Dimmed>
          <bdi>{more.join(" · ")}</bdi>
        </Dimmed>
      )}
    </Stack>
  );
}

const mostListed = 5;

function State({ state, dueAt, finishedAt, decidedBy, counts }: Request) {
  switch (state) {
    case "asked":
      return rich(t("Waits for you, until <0/>"), <Moment at={dueAt} />);
    case "confirmed":
      return t("Running");
    case "refused":
      return t("Refused by {decidedBy}", { decidedBy: decidedBy ?? "" });
    case "done":
      return (
        <>
          {rich(decidedBy === null ? t("Confirmed after 14 days, done <0/>") : t("Done, <0/>"), <Moment at={finishedAt ?? dueAt} />)}
          <Dimmed>{countWords(counts) || t("Nothing")}</Dimmed>
        </>
      );
  }
}

function Decide(request: Request) {
  const { id, site } = request;
  const onSettled = () => cache.people.invalidate();
  const confirm = trpc.people.confirmErasure.useMutation({ onSettled });
  const refuse = trpc.people.refuseErasure.useMutation({ onSettled });
  const who = nameOf(request);
  return (
    <Group gap="xs">
      <ConfirmButton
        label={t("Erase")}
        size="compact-sm"
        aria-label={t("Erase {who}", { who })}
        title={t("Erase {who} from {site} for good?", { who, site })}
        action={t("Erase data")}
        onConfirm={() => confirm.mutateAsync({ id })}
      >
        {t("Events and orders of this person in this site are deleted, and messages to them lose phone and text. It cannot be undone.")}
      </ConfirmButton>
      <ConfirmButton
        label={t("Refuse")}
        size="compact-sm"
        aria-label={t("Refuse the request for {who}", { who })}
        title={t("Refuse the shop's request?")}
        action={t("Refuse request")}
        isMild
        onConfirm={() => refuse.mutateAsync({ id })}
      >
        {t("Nothing is erased. Refuse it only if the shop did not ask, or the law lets you keep the data.")}
      </ConfirmButton>
    </Group>
  );
}
