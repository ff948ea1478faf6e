import { Group } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { isMissing } from "../../ui/states/is-missing.ts";
import { Loading } from "../../ui/states/loading.tsx";
import { categoryName } from "../../ui/template/category-name.ts";
import { reviewMs } from "../../ui/template/review-ms.ts";
import { DeleteTemplate } from "./detail/delete-template.tsx";
import { DuplicateLink } from "./detail/duplicate-link.tsx";
import { TemplateView } from "./template-view.tsx";
import { useArrivedRefusal } from "./use-arrived-refusal.ts";

const back = { to: paths.templates, label: "Templates" };

export function TemplatePage() {
  const { templateId } = useParams({ from: `/signed-in${paths.template}` });
  return <OneTemplate key={templateId} id={templateId} />;
}

function OneTemplate({ id }: { id: string }) {
  const mayWrite = useMay("operator");
  const refusal = useArrivedRefusal();
  const query = trpc.templates.get.useQuery(
    { id },
    {
      refetchInterval: ({ state }) => (state.data?.template.status === "pending" ? reviewMs : false),
      // What somebody is writing must not be replaced under their hands.
      refetchOnWindowFocus: ({ state }) => state.data?.template.status !== "draft" && state.data?.template.status !== "rejected",
    },
  );
  const template = query.data?.template;
  return (
    <Page
      title={template?.name ?? "Template"}
      {...(template !== undefined && { lead: `${formatLanguage(template.language)}, ${categoryName(template.category).toLowerCase()}` })}
      back={back}
      actions={
        mayWrite &&
        template !== undefined && (
          <Group gap="sm">
            <DuplicateLink template={template} />
            <DeleteTemplate template={template} />
          </Group>
        )
      }
    >
      {query.error !== null && isMissing(query.error) && (
        <EmptyState title="There is no such template">It may have been deleted, or the address is not whole.</EmptyState>
      )}
      {query.error !== null && !isMissing(query.error) && (
        <FailureNotice title="Could not load the template" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Loading what="the template" />}
      {query.data !== undefined && <TemplateView {...query.data} refusal={refusal} />}
    </Page>
  );
}
