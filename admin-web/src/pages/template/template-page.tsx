import { Group, Stack } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import { formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay, RoleOnly } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import type { Refusal } from "../../ui/input-form.tsx";
import { FailureNotice, isMissing, Loading } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { categoryName, reviewMs } from "../../ui/template-words.tsx";
import { HeaderMedia, TemplateBindings, TemplateFacts, TemplateHistory } from "./detail.tsx";
import { valuesOf, definitionOf, emptyValues, likelyLanguage } from "./draft.ts";
import { TemplateEditor, TemplatePreview, TwoColumns } from "./editor.tsx";
import { DeleteTemplate, DuplicateLink, StatusNotice, SubmitAsItIs } from "./status.tsx";
import { useArrivedRefusal } from "./use-editing.ts";

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
      // A refetch must not replace what is being edited.
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
        <EmptyState title="Template not found">It may have been deleted, or the address is incomplete.</EmptyState>
      )}
      {query.error !== null && !isMissing(query.error) && (
        <FailureNotice title="Could not load the template" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Loading what="the template" />}
      {query.data !== undefined && <TemplateView {...query.data} refusal={refusal} />}
    </Page>
  );
}

type TemplateViewProps = Outputs["templates"]["get"] & { refusal: Refusal | undefined };

/** The editor for a draft or a rejected template, otherwise a view. */
function TemplateView({ template, history, refusal }: TemplateViewProps) {
  const mayWrite = useMay("operator");
  const isOpen = template.status === "draft" || template.status === "rejected";
  const values = mayWrite && isOpen ? valuesOf(template) : null;
  // A single entry says only that it was created.
  const past = history.length > 1 && <TemplateHistory history={history} />;
  if (values !== null)
    return (
      <>
        <StatusNotice template={template} />
        <TemplateEditor stored={template} initial={values} refusal={refusal} />
        {past}
      </>
    );
  return (
    <TwoColumns beside={<TemplatePreview definition={definitionOf(template)} />}>
      <Stack gap="xl">
        <StatusNotice template={template} />
        {mayWrite && isOpen && <SubmitAsItIs id={template.id} />}
        <TemplateFacts template={template} />
        <HeaderMedia template={template} />
        <TemplateBindings template={template} />
        {past}
      </Stack>
    </TwoColumns>
  );
}

export function NewTemplatePage() {
  const { from } = useSearch({ from: `/signed-in${paths.newTemplate}` });
  return (
    <RoleOnly needed="operator">
      <Page
        title="New template"
        back={{ to: paths.templates, label: "Templates" }}
        lead="Write the message and submit it. WhatsApp reviews it, usually within minutes."
      >
        {from === undefined ? <TemplateEditor initial={emptyValues(likelyLanguage(navigator.language))} /> : <Copy key={from} id={from} />}
      </Page>
    </RoleOnly>
  );
}

/** Starts with another template's text, without its language, which usually differs. */
function Copy({ id }: { id: string }) {
  const original = trpc.templates.get.useQuery({ id }, { staleTime: Infinity });
  if (original.error !== null)
    return <FailureNotice title="Could not load the template to copy" error={original.error} onRetry={() => void original.refetch()} />;
  if (original.data === undefined) return <Loading what="the template" />;
  const values = valuesOf(original.data.template) ?? emptyValues("");
  return <TemplateEditor initial={{ ...values, language: "" }} />;
}
