import { Autocomplete } from "@mantine/core";
import { trpc } from "../../trpc.ts";
import { useTypedFilter } from "../../ui/filters/use-typed-filter.ts";

/** Whose changes are shown. */
export function ActorFilter({ actor, onChange }: { actor: string | undefined; onChange: (actor: string) => void }) {
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const [text, type] = useTypedFilter(actor, onChange);
  const data = people.data?.items.map(({ email }) => email) ?? [];
  return <Autocomplete label="Who" placeholder="E-mail address" data={data} value={text} onChange={type} />;
}
