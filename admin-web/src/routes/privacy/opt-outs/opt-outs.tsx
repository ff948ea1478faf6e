import { Code } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { PagedList } from "../../../ui/states/paged-list.tsx";
import { LiftOptOut } from "./lift-opt-out.tsx";
import { NobodyOptedOut } from "./nobody-opted-out.tsx";
import { scopeWords, sourceWords } from "./opt-out-words.ts";
import { PhoneSearch } from "./phone-search.tsx";

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
