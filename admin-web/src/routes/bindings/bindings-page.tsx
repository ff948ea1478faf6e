import { Button } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { Page } from "../../ui/page/page.tsx";
import { BindingList } from "./binding-list.tsx";
import { BindingsFilters } from "./bindings-filters.tsx";

export function BindingsPage() {
  const search = useSearch({ from: `/signed-in${paths.bindings}` });
  const { siteId, event } = search;
  const mayWrite = useMay("operator");
  return (
    <Page
      title="Bindings"
      lead="When an event comes from a site, which message goes to whom."
      actions={
        mayWrite && (
          <Button renderRoot={(props) => <Link to={paths.newBinding} search={{ siteId, event }} {...props} />}>New binding</Button>
        )
      }
    >
      <BindingsFilters search={search} />
      <BindingList search={search} />
    </Page>
  );
}
