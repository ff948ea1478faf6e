import { Group, Stack, Button, Text, Alert } from "@mantine/core";
import { useParams, useSearch, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TemplateStatus } from "shared/core/template/definition";
import { locale, t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { RolePage } from "../../role-page.tsx";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { ConfirmForm, DialogButton } from "../../ui/base/dialogs.tsx";
import { running } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { TwoColumns } from "../../ui/base/layout.tsx";
import { MenuLink, MoreActions } from "../../ui/base/more-actions.tsx";
import { ObjectPage } from "../../ui/base/object-page.tsx";
import { Section, FailureNotice, Loaded, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import type { Refusal } from "../../ui/form/input-issues.ts";
import { TestMessageButton } from "../../ui/message/test-message-button.tsx";
import { useAdvised } from "../../ui/problem/problem-card.tsx";
import { reviewMs, rejectionAdvice, TemplateStatusBadge, toldReason } from "../../ui/template/template-labels.tsx";
import { BindingList, TemplateDetails, TemplatePast } from "./detail.tsx";
import { valuesOf, emptyValues, likelyLanguage, type Template } from "./draft.ts";
import { editorId, TemplateEditor, TemplatePreview } from "./editor.tsx";
import labels from "./labels.json";
import { useArrivedRefusal } from "./use-editing.ts";

const back = { to: paths.templates, label: t("Templates") };

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
  const [isChanged, setChanged] = useState(false);
  return (
    <ObjectPage
      {...{ query, back }}
      {...{ kind: t("Template"), what: t("the template"), missing: t("Template not found") }}
      head={({ template }) => ({
        title: template.name,
        lead: <TemplateStatusBadge status={template.status} />,
        actions: mayWrite && (
          <Group gap="sm">
            {template.status === "approved" && <TestMessageButton tested={{ templateId: template.id }} />}
            {isOpen(template) && valuesOf(template) !== null && !isChanged && (
              <Button type="submit" form={editorId} value="submit">
                {t("Submit template")}
              </Button>
            )}
            <MoreActions>
              <CopyLinks template={template} />
              <DialogButton
                label={t("Delete template")}
                title={t("Delete {name} in {language}?", { name: template.name, language: template.language })}
              >
                {(close) => <DeleteForm template={template} onClose={close} />}
              </DialogButton>
            </MoreActions>
          </Group>
        ),
      })}
    >
      {(data) => <TemplateView {...data} refusal={refusal} onChanged={setChanged} />}
    </ObjectPage>
  );
}

type TemplateViewProps = Outputs["templates"]["get"] & { refusal: Refusal | undefined; onChanged: (isChanged: boolean) => void };

const isOpen = ({ status }: Template): boolean => status === "draft" || status === "rejected";

/** The editor for a draft or a rejected template, otherwise a view. */
function TemplateView({ template, history, refusal, onChanged }: TemplateViewProps) {
  const mayWrite = useMay("operator");
  const values = mayWrite && isOpen(template) ? valuesOf(template) : null;
  if (values !== null)
    return (
      <>
        <StatusNotice template={template} />
        <TemplateEditor stored={template} initial={values} refusal={refusal} onChanged={onChanged} />
        <TemplatePast template={template} history={history} />
      </>
    );
  return (
    <TwoColumns beside={<TemplatePreview definition={template} />}>
      <Stack gap="xl">
        <StatusNotice template={template} />
        {mayWrite && isOpen(template) && <SubmitAsItIs id={template.id} />}
        <TemplateDetails template={template} />
        <TemplatePast template={template} history={history} />
      </Stack>
    </TwoColumns>
  );
}

export function NewTemplatePage() {
  const { from, translate, addLanguage } = useSearch({ from: `/signed-in${paths.newTemplate}` });
  const isLanguage = from !== undefined && addLanguage === true;
  return (
    <RolePage
      needed="operator"
      title={isLanguage ? t("New language") : t("New template")}
      back={{ to: paths.templates, label: t("Templates") }}
    >
      {from === undefined ? (
        <TemplateEditor initial={emptyValues(likelyLanguage(locale))} />
      ) : (
        <Copy key={from} id={from} isTranslated={translate === true} isLanguage={isLanguage} />
      )}
    </RolePage>
  );
}

/** Starts with another template's text, without its language, which usually differs. */
function Copy({ id, isTranslated, isLanguage }: { id: string; isTranslated: boolean; isLanguage: boolean }) {
  const query = trpc.templates.get.useQuery({ id }, { staleTime: Infinity });
  return (
    <Loaded query={query} what={t("the template")}>
      {({ template }) => (
        <TemplateEditor
          initial={{ ...(valuesOf(template) ?? emptyValues("")), language: "" }}
          original={isTranslated || isLanguage ? { template, isNamesake: isLanguage, asksAtOnce: isTranslated } : undefined}
        />
      )}
    </Loaded>
  );
}

function DeleteForm({ template: { id, name, platformId }, onClose }: { template: Template; onClose: () => void }) {
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 }).data?.items ?? [];
  const navigate = useNavigate();
  const remove = async () => {
    // Somebody may have bound the template in the meantime: the dialog then shows the bindings.
    await settled(trpcClient.templates.delete.mutate({ id }), cache.bindings.list);
    await navigate({ to: paths.templates });
    await cache.templates.invalidate();
  };
  if (bindings.length > 0)
    return (
      <Stack gap="sm">
        <Text fw={600}>{t("{name} is in use", { name })}</Text>
        <Text>{t("Before you delete it, delete these bindings or give them another template.")}</Text>
        <BindingList bindings={bindings} />
      </Stack>
    );
  return (
    <ConfirmForm action={t("Delete template")} onClose={onClose} onConfirm={remove}>
      {platformId === null
        ? t("The draft is deleted for good. It was never submitted.")
        : t(
            "It is deleted here and at WhatsApp, in this language only. The name stays locked: for 30 days if the template was ever approved, otherwise for about a minute.",
          )}
    </ConfirmForm>
  );
}

/** Open a new template that begins with this one's text, if the editor can hold it: in another language, by the assistant, or under another name. */
function CopyLinks({ template }: { template: Template }) {
  const { id, category } = template;
  const assistant = trpc.assistant.get.useQuery(undefined, { staleTime: 60_000 });
  if (valuesOf(template) === null) return null;
  const translates = assistant.data?.isOn === true && category !== "AUTHENTICATION";
  return (
    <>
      <MenuLink to={paths.newTemplate} search={{ from: id, addLanguage: true }}>
        {t("Add language")}
      </MenuLink>
      {translates && (
        <MenuLink to={paths.newTemplate} search={{ from: id, translate: true }}>
          {t("Translate template")}
        </MenuLink>
      )}
      <MenuLink to={paths.newTemplate} search={{ from: id }} title={t("Under another name")}>
        {t("Duplicate template")}
      </MenuLink>
    </>
  );
}

function StatusNotice({ template }: { template: Template }) {
  const { status, reason } = template;
  const mayWrite = useMay("operator");
  const told = useAdvised(status === "rejected" || status === "paused" || status === "disabled" ? statusWords[status].text : "");
  if (status === "approved" || (status === "draft" && reason === null && mayWrite)) return null;
  const { title, text } = statusWords[status];
  const advice = reason === null ? undefined : rejectionAdvice(reason);
  return (
    <Alert color={statusColors[status]} title={title} role="status">
      <Stack gap={6}>
        {reason !== null && <Text>{rich(t("Reason from WhatsApp: <0>{reason}</0>", { reason: toldReason(reason) }), <strong />)}</Text>}
        {advice !== undefined && <Text>{advice}</Text>}
        <Text>{told || text}</Text>
      </Stack>
    </Alert>
  );
}

const statusColors = { draft: "gray", pending: "gray", rejected: "red", paused: "yellow", disabled: "red" };
/** What each status means, and the next step. */
const statusWords: Record<Exclude<TemplateStatus, "approved">, { title: string; text: string }> = tableOf(labels.statuses);

/** Submits a draft or a rejected template that the editor cannot hold. */
function SubmitAsItIs({ id }: { id: string }) {
  const submit = trpc.templates.submit.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <Section
      title={t("Submit template")}
      lead={t("It was created elsewhere and has parts that cannot be edited here. You can submit it unchanged.")}
    >
      <FailureNotice title={t("The template was not submitted")} of={submit} />
      <Button w="fit-content" {...running(submit, { id })}>
        {t("Submit template")}
      </Button>
    </Section>
  );
}
