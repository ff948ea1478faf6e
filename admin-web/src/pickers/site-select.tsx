import { Select, type SelectProps } from "@mantine/core";
import { trpc } from "../trpc.ts";

/** One of the account's sites, by name. */
export function SiteSelect(props: Omit<SelectProps, "data">) {
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const data = (sites.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label="Site"
      data={data}
      searchable
      nothingFoundMessage="No such site"
      error={sites.error && "Could not load the sites"}
      {...props}
    />
  );
}
