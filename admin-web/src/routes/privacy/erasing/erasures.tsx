import { trpc } from "../../../trpc.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { PagedList } from "../../../ui/states/paged-list.tsx";
import { countWords } from "./count-words.ts";
import { ErasureProgress } from "./erasure-progress.tsx";
import type { Erasure } from "./erasure.ts";

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
export function Erasures() {
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
