import { Code, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { OptOutScope, OptOutSource } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { Section } from "../../ui/page.tsx";
import { PagedList, EmptyState } from "../../ui/paged-list.tsx";

type OptOut = Outputs["optOuts"]["list"]["items"][number];

const columns: Column<OptOut>[] = [
  { name: "Person", kind: "title", cell: ({ phone }) => phone ?? "somebody forgotten" },
  { name: "Does not want", cell: ({ scope }) => scopeWords[scope] },
  { name: "How it is known", cell: ({ source, code }) => <Source words={sourceWords[source]} code={code} /> },
  { name: "Since", kind: "short", cell: ({ since }) => <Moment at={since} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, phone }) => <LiftOptOut id={id} phone={phone} /> },
];

/** Who gets no messages, and why; one can be looked for. */
export function OptOuts() {
  const { phone } = useSearch({ from: `/signed-in${paths.privacy}` });
  const navigate = useNavigate();
  const optOuts = trpc.optOuts.list.useInfiniteQuery({ phone, limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <Section
      title="People who opted out"
      lead="Messages that they do not want are logged as failed, and never sent, whatever events ask for."
    >
      <PhoneSearch
        phone={phone}
        onChange={(searched) => void navigate({ to: paths.privacy, search: { phone: searched }, replace: true })}
      />
      <PagedList query={optOuts} what="who opted out" empty={<NobodyOptedOut searched={phone} />}>
        {(items) => <DataTable label="People who opted out" columns={columns} rows={items} rowKey={({ id }) => id} />}
      </PagedList>
    </Section>
  );
}

function Source({ words, code }: { words: string; code: string | null }) {
  if (code === null) return words;
  return (
    <span>
      {words} <Code>{code}</Code>
    </span>
  );
}

function LiftOptOut({ id, phone }: { id: string; phone: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const lift = trpc.optOuts.lift.useMutation({ onSettled: () => cache.optOuts.list.invalidate() });
  const who = phone ?? "somebody forgotten";
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Lift the opt-out of ${who}`}>
        Lift
      </Button>
      <ConfirmDialog
        title="Write to this person again?"
        action="Lift the opt-out"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => lift.mutateAsync({ id })}
      >
        From the next event on {who} is written to again, until the next word to the contrary. Do so only when the person has asked for it.
        The audit notes that it was you.
      </ConfirmDialog>
    </>
  );
}

/** `searched`: the phone that nothing was found for. */
function NobodyOptedOut({ searched }: { searched: string | undefined }) {
  if (searched !== undefined) {
    return (
      <EmptyState title={`${searched} has not opted out`}>
        <TextLink to={paths.privacy} search={{}}>
          Show everybody
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nobody has opted out">
      Whoever stops marketing in the app or blocks the business stands here from the platform&apos;s first word on. Subscribe the app to{" "}
      <code>user_preferences</code> so that it tells; the <TextLink to={paths.platform}>platform&apos;s page</TextLink> says how.
    </EmptyState>
  );
}

/** What somebody does not want. */
const scopeWords: Record<OptOutScope, string> = { marketing: "marketing", all: "all messages" };

/** How it is known. */
const sourceWords: Record<OptOutSource, string> = {
  preference: "chosen in the app",
  callback: "told by the platform after sending",
  refusal: "told by the platform when refusing",
  operator: "entered by an operator",
};

interface PhoneSearchProps {
  phone: string | undefined;
  /** Told a whole number, or that the field was emptied. */
  onChange: (phone: string | undefined) => void;
}

/** Looks for one person as soon as the number is whole. Cleared from outside, it is empty. */
function PhoneSearch({ phone, onChange }: PhoneSearchProps) {
  const [told, setTold] = useState(phone);
  const [round, setRound] = useState(0);
  if (phone !== told) {
    setTold(phone);
    if (phone === undefined) setRound(round + 1);
  }
  const tell = (typed: string) => {
    if (typed !== "" && !isE164(typed)) return;
    setTold(typed || undefined);
    onChange(typed || undefined);
  };
  return (
    <search aria-label="People who opted out">
      <PhoneInput key={round} label="Look for a phone" maw="20rem" defaultValue={phone ?? ""} onChange={tell} />
    </search>
  );
}
