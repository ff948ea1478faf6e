import { Button, Group, Alert, Stack, Anchor, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { describeReason } from "shared/core/reason";
import { formatTime } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { RolePage } from "../../role-page.tsx";
import { cache, trpc, trpcClient } from "../../trpc.ts";
import { ConfirmButton, DialogButton } from "../../ui/base/dialogs.tsx";
import { Fact, Facts } from "../../ui/base/facts.tsx";
import { describeIdle } from "../../ui/base/labels.ts";
import { part } from "../../ui/base/later.tsx";
import { TwoColumns } from "../../ui/base/layout.tsx";
import { MenuLink, MoreActions } from "../../ui/base/more-actions.tsx";
import { ObjectPage } from "../../ui/base/object-page.tsx";
import { FailureNotice, Loaded } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { InputForm, FormButtons } from "../../ui/form/input-form.tsx";
import { Versions } from "../../ui/form/versions.tsx";
import { countOf } from "../../ui/list/count.ts";
import { TestMessageButton } from "../../ui/message/test-message-button.tsx";
import { BindingState } from "../../ui/problem/binding-faults.tsx";
import { useAllTemplates } from "../../ui/template/templates.ts";
import { bindingIssues, toDraft, type BindingDraft, emptyDraft } from "./draft.ts";
import { FirstThings, MessageFields, TriggerFields } from "./form.tsx";
import { PreviewPanel, useTrial } from "./preview.tsx";
import type { NewBindingSearch } from "./route.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { SlotFields, useLearnedFields } from "./slot-fields.tsx";
import { type Binding, useBindingForm, type BindingForm, tellBinding } from "./use-binding-form.ts";
import classes from "./binding.module.css";

const Backfill = part(async () => (await import("./backfill.tsx")).Backfill);
const Past = part(async () => (await import("./past.tsx")).Past);

export function BindingPage() {
  const { bindingId } = useParams({ from: `/signed-in${paths.binding}` });
  const query = trpc.bindings.get.useQuery({ id: bindingId });
  const mayWrite = useMay("operator");
  return (
    <ObjectPage
      query={query}
      {...{ kind: t("Binding"), what: t("the binding"), missing: t("Binding not found") }}
      back={{ to: paths.bindings, label: t("Bindings") }}
      head={({ binding }) => ({
        title: binding.event,
        lead: <BindingState binding={binding} />,
        actions: mayWrite && <BindingActions binding={binding} />,
      })}
    >
      {({ binding }) => (
        <>
          {mayWrite ? <ChangeWithTemplate key={binding.id} binding={binding} /> : <BindingSummary binding={binding} />}
          <BindingVersions binding={binding} />
        </>
      )}
    </ObjectPage>
  );
}

function BindingActions({ binding }: { binding: Binding }) {
  const navigate = useNavigate();
  const { id, event } = binding;
  return (
    <Group gap="sm">
      <TestMessageButton tested={{ bindingId: id, siteId: binding.siteId }} />
      <MoreActions>
        <MenuLink to={paths.newBinding} search={{ copyOf: id }}>
          {t("Duplicate binding")}
        </MenuLink>
        <DialogButton label={t("Backfill…")} title={t("Run earlier events of {event}?", { event })} isWide>
          {(close) => <Backfill binding={binding} onClose={close} />}
        </DialogButton>
        <ConfirmButton
          label={t("Delete binding")}
          title={t("Delete the binding of {event}?", { event })}
          onConfirm={async () => {
            await trpcClient.bindings.delete.mutate({ id });
            void cache.bindings.list.invalidate();
            void navigate({ to: paths.bindings, ignoreBlocker: true });
          }}
        >
          <WhatGoes binding={binding} />
        </ConfirmButton>
      </MoreActions>
    </Group>
  );
}

function WhatGoes({ binding: { id, template } }: { binding: Binding }) {
  const count = useQuery(countOf("notifications.count", { bindingId: id, status: "scheduled" })).data?.total ?? 0;
  return t(
    "These events no longer send {template}. To pause it, switch it off instead. {count, plural, =0 {No message waits} one {# waiting message is cancelled} other {# waiting messages are cancelled}}; sent ones stay.",
    { template, count },
  );
}

function BindingVersions({ binding: { id, siteId, updatedAt } }: { binding: Binding }) {
  const siteName = useSiteName();
  const { templates } = useAllTemplates();
  const mayWrite = useMay("operator");
  // A change makes a version.
  const { data } = trpc.bindings.versions.useQuery({ id }, { queryHash: `versions ${id} ${updatedAt}` });
  const tell = (version: NonNullable<typeof data>["items"][number]) =>
    tellBinding(
      toDraft({ ...version, siteId }),
      templates.find((template) => template.id === version.templateId),
      siteName,
    );
  return <Versions of="bindings" id={id} items={data?.items} tell={tell} mayRestore={mayWrite} />;
}

/** The binding for roles that cannot change it. */
function BindingSummary({ binding }: { binding: Binding }) {
  const template = trpc.templates.get.useQuery({ id: binding.templateId }).data?.template;
  const siteName = useSiteName();
  const trial = useTrial(binding, template);
  return (
    <TwoColumns id={previewId} beside={<PreviewPanel template={template} trial={trial} />}>
      <Facts told={tellBinding(toDraft(binding), template, siteName)}>
        {binding.problemCodes.map((problem, index) => (
          <Fact key={index} name={t("Problem")}>
            {describeReason(problem, t)}
          </Fact>
        ))}
      </Facts>
    </TwoColumns>
  );
}

/** The form has the variables of the template, so it waits for it. */
const ChangeWithTemplate = ({ binding }: { binding: Binding }) => (
  <Loaded query={trpc.templates.get.useQuery({ id: binding.templateId })} what={t("the template")}>
    {() => <ChangeBinding binding={binding} />}
  </Loaded>
);

function ChangeBinding({ binding }: { binding: Binding }) {
  const siteName = useSiteName();
  const navigate = useNavigate();
  const [update, create] = [trpc.bindings.update.useMutation(), trpc.bindings.create.useMutation()];
  const form = useBindingForm({
    initial: toDraft(binding),
    versioned: {
      updatedAt: binding.updatedAt,
      fill: async (current: Binding) => {
        await cache.templates.get.ensureData({ id: current.templateId });
        return toDraft(current);
      },
      tell: (draft) => tellBinding(draft, cache.templates.get.getData({ id: draft.templateId })?.template, siteName),
    },
    save: async (input) => (await update.mutateAsync({ id: binding.id, ...input })).binding,
    again: async (input) => (await create.mutateAsync(input)).binding,
    onSaved: (changed) => {
      cache.bindings.get.setData({ id: changed.id }, { binding: changed });
      if (changed.id !== binding.id) void navigate({ ...pages.binding(changed.id), replace: true });
      void cache.bindings.list.invalidate();
      void cache.bindings.preview.invalidate();
    },
  });
  return (
    <Stack>
      {binding.idleSince !== null && (
        <Alert color="yellow" title={t("The binding has not fired for 30 days")}>
          {t("{describeIdle} Last fired or changed: {idleSince}.", {
            describeIdle: describeIdle({ ...binding, event: t("Its event") }),
            idleSince: formatTime(binding.idleSince),
          })}
        </Alert>
      )}
      {/* This problem is about the saved binding; the preview shows the others. */}
      {binding.problemCodes
        .filter(({ code }) => code === "template_changed")
        .map((problem) => (
          <Alert key={problem.code} color="yellow" title={t("The template has changed")}>
            {describeReason(problem, t)}
          </Alert>
        ))}
      <BindingEditor form={form} id={binding.id} />
    </Stack>
  );
}

export function NewBindingPage() {
  const { copyOf, ...search } = useSearch({ from: `/signed-in${paths.newBinding}` });
  const siteName = useSiteName();
  const [siteId, tellSite] = useState("");
  const lead = siteId && t("For {site}", { site: siteName(siteId) });
  const shared = { search, tellSite };
  return (
    <RolePage needed="operator" title={t("New binding")} lead={lead} back={{ to: paths.bindings, label: t("Bindings") }}>
      {copyOf === undefined ? <NewBinding from={emptyDraft} {...shared} /> : <Copy id={copyOf} {...shared} />}
    </RolePage>
  );
}

type Begun = { search: NewBindingSearch; tellSite: (siteId: string) => void };

/** Starts with another binding, without its event. */
function Copy({ id, ...shared }: Begun & { id: string }) {
  const query = trpc.bindings.get.useQuery({ id }, { staleTime: Infinity });
  return (
    <Loaded query={query} what={t("the binding")}>
      {({ binding }) => <NewBinding from={{ ...toDraft(binding), event: "" }} {...shared} />}
    </Loaded>
  );
}

function NewBinding({ from, search, tellSite }: Begun & { from: BindingDraft }) {
  const navigate = useNavigate();
  const create = trpc.bindings.create.useMutation();
  const { siteId: ofSite = from.siteId, event = from.event, templateId = from.templateId } = search;
  const form = useBindingForm({
    initial: { ...from, siteId: ofSite, event, templateId },
    save: async (input) => (await create.mutateAsync(input)).binding,
    onSaved: (binding) => {
      cache.bindings.get.setData({ id: binding.id }, { binding });
      void cache.bindings.list.invalidate();
      void navigate(pages.binding(binding.id));
    },
  });
  const { siteId } = form.values;
  useEffect(() => tellSite(siteId), [siteId, tellSite]);
  return (
    <>
      <FirstThings />
      <BindingEditor form={form} />
    </>
  );
}

/** The form with its preview. `id`: absent for a new binding. */
function BindingEditor({ form, id }: { form: BindingForm; id?: string }) {
  const { template, input } = form;
  const trial = useTrial(input, template);
  const { payload, preview } = trial;
  const { fields, comparable, isComing } = useLearnedFields(
    input.siteId,
    payload.name,
    payload.choice.from === "paste" ? (payload.text ?? null) : null,
  );
  return (
    <TwoColumns
      id={previewId}
      beside={
        <Stack align="stretch">
          <PreviewPanel template={template} trial={trial} />
          <DialogButton
            label={t("Try on the last 7 days")}
            title={t("What the last 7 days would send")}
            isWide
            disabled={bindingIssues(input).length > 0}
          >
            {() => <Past input={input} id={id} />}
          </DialogButton>
        </Stack>
      }
    >
      <InputForm form={form} failure={t("The binding was not saved")}>
        <Stack gap="lg">
          <Group justify="space-between">
            <Switch label={t("On")} checked={form.values.enabled} onChange={form.at("enabled").onChange} />
            <Anchor href={`#${previewId}`} className={classes["jump"] ?? ""}>
              {t("Preview")}
            </Anchor>
          </Group>
          <TriggerFields form={form} isUnseen={payload.events?.length === 0} fields={comparable} payload={payload.text} />
          <MessageFields form={form} fields={fields} />
          <FailureNotice title={t("Could not load the template")} error={form.templateError} />
          <SlotFields {...{ form, fields, isComing }} preview={preview.data} />
          <ScheduleFields form={form} fields={fields} />
          <FormButtons form={form} isNew={id === undefined}>
            <Button type="submit" loading={form.isSaving} disabled={!form.maySave}>
              {id === undefined ? t("Create binding") : t("Save changes")}
            </Button>
          </FormButtons>
        </Stack>
      </InputForm>
    </TwoColumns>
  );
}

const previewId = "preview";
