import { Group } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { TextFilter } from "../../ui/filters/text-filter.tsx";
import { Page } from "../../ui/page/page.tsx";
import { StatusFilter } from "./status-filter.tsx";
import { SyncTemplates } from "./sync-templates.tsx";
import { TemplateList } from "./template-list.tsx";
import { readTemplatesSearch } from "./templates-search.ts";

export function TemplatesPage() {
  const search = useSearch({ from: `/signed-in${paths.templates}` });
  const navigate = useNavigate();
  const mayWrite = useMay("operator");
  const find = (text: string) =>
    void navigate({ to: paths.templates, search: (now) => readTemplatesSearch({ ...now, search: text }), replace: true });
  return (
    <Page
      title="Templates"
      lead="The texts of your messages. Only those that the platform has approved are sent."
      actions={mayWrite && <ButtonLink to={paths.newTemplate}>New template</ButtonLink>}
    >
      <SyncTemplates />
      <Group justify="space-between" gap="sm">
        <StatusFilter search={search} />
        <TextFilter
          aria-label="Search templates"
          placeholder="Search name or text"
          value={search.search}
          onChange={find}
          flex="1 1 14rem"
          maw="22rem"
        />
      </Group>
      <TemplateList search={search} />
    </Page>
  );
}
