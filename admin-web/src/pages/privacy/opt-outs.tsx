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
  { name: "Person", kind: "title", cell: ({ phone }) => phone ?? "Erased person" },
  { name: "Opted out of", cell: ({ scope }) => scopeWords[scope] },
  { name: "Source", cell: ({ source, code }) => <Source words={sourceWords[source]} code={code} /> },
  { name: "Since", kind: "short", cell: ({ since }) => <Moment at={since} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, phone }) => <RemoveOptOut id={id} phone={phone} /> },
];

/** The people who get no messages, with a search by phone. */
export function OptOuts() {
  const { phone } = useSearch({ from: `/signed-in${paths.privacy}` });
  const navigate = useNavigate();
  const optOuts = trpc.optOuts.list.useInfiniteQuery({ phone, limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <Section title="Opt-outs" lead="Messages that a person opted out of are never sent; they appear in the log as failed.">
      <PhoneSearch
        phone={phone}
        onChange={(searched) => void navigate({ to: paths.privacy, search: { phone: searched }, replace: true })}
      />
      <PagedList query={optOuts} what="the opt-outs" empty={<NobodyOptedOut searched={phone} />}>
        {(items) => <DataTable label="Opt-outs" columns={columns} rows={items} rowKey={({ id }) => id} />}
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

function RemoveOptOut({ id, phone }: { id: string; phone: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const lift = trpc.optOuts.lift.useMutation({ onSettled: () => cache.optOuts.list.invalidate() });
  const who = phone ?? "this person";
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Remove opt-out of ${who}`}>
        Remove opt-out
      </Button>
      <ConfirmDialog
        title="Send messages to this person again?"
        action="Remove opt-out"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => lift.mutateAsync({ id })}
      >
        From the next event on, messages to {who} are sent again, until they opt out again. Do this only if the person asked for it. The
        audit log records that you did it.
      </ConfirmDialog>
    </>
  );
}

function NobodyOptedOut({ searched }: { searched: string | undefined }) {
  if (searched !== undefined) {
    return (
      <EmptyState title={`${searched} has not opted out`}>
        <TextLink to={paths.privacy} search={{}}>
          Show all opt-outs
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nobody has opted out">
      People who stop marketing messages in WhatsApp or block the business appear here. Subscribe your app to <code>user_preferences</code>{" "}
      to receive opt-outs: see <TextLink to={paths.platform}>Platform</TextLink>.
    </EmptyState>
  );
}

const scopeWords: Record<OptOutScope, string> = { marketing: "Marketing", all: "All messages" };

const sourceWords: Record<OptOutSource, string> = {
  preference: "Chosen in WhatsApp",
  callback: "Reported after sending",
  refusal: "Reported on refusal",
  operator: "Entered by an operator",
};

interface PhoneSearchProps {
  phone: string | undefined;
  /** Gets a complete number, or undefined once the field is empty. */
  onChange: (phone: string | undefined) => void;
}

/** Searches as soon as the number is complete. */
function PhoneSearch({ phone, onChange }: PhoneSearchProps) {
  const [typed, setTyped] = useState(phone ?? "");
  const [searched, setSearched] = useState(phone);
  if (phone !== searched) {
    setSearched(phone);
    setTyped(phone ?? "");
  }
  const write = (text: string) => {
    setTyped(text);
    if (text === "" || isE164(text)) onChange(text || undefined);
  };
  return (
    <search aria-label="Opt-outs">
      <PhoneInput label="Find phone" maw="20rem" value={typed} onChange={write} />
    </search>
  );
}
