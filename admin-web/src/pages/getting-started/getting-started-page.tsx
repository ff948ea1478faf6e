import { Group, Progress as ProgressBar, Text, UnstyledButton, Button, Stack, VisuallyHidden, Box, Center } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import { type ReactNode, useId } from "react";
import { slotGroups } from "shared/core/binding";
import { exampleEvent, examplePayload, exampleVariableMap } from "shared/core/example";
import { cleanSlots } from "shared/core/template/message";
import type { SlotTexts } from "shared/core/template/slots";
import type { VariableMap, VarSpec } from "shared/core/variables";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { TextLink, ButtonLink } from "../../ui/base/buttons.tsx";
import { running } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { WideColumns } from "../../ui/base/layout.tsx";
import { Dimmed, FailureNotice, News, Page, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useMadeSites } from "../../ui/site/made-site.tsx";
import { type Column, DataTable, ListSkeleton } from "../../ui/table/data-table.tsx";
import { fillMessage } from "../../ui/template/fill-message.ts";
import { MessageBubble, PhonePreview } from "../../ui/template/message.tsx";
import { describeSource } from "../../ui/template/variable-sources.ts";
import { EventStep, EventSummary } from "./event-step.tsx";
import labels from "./labels.json";
import { isShop, useFacts, type Facts, nextStep, stepsDone, useOpenStep, stepButtonId } from "./progress.ts";
import { type StepName, stepsOf } from "./route.ts";
import { PlatformStep, PlatformSummary, SiteStep, SiteSummary, ForRole, TemplateStep, TemplateSummary } from "./setup-steps.tsx";
import { ConnectStep, ConnectSummary, MessagesStep, MessagesSummary, OrderStep, OrderSummary } from "./shop-steps.tsx";
import classes from "./getting-started.module.css";

/** Labels are read with the page's texts, which load after the router's modules. */
const stepTitles: Record<StepName, string> = tableOf(labels);

export function GettingStartedPage() {
  const { facts, error, retry } = useFacts();
  const made = useMadeSites().all.at(-1);
  const progress = facts && progressOf(facts, made);
  return (
    <Page title={t("Get started")} lead={progress === undefined ? "" : <News component="span">{tellProgress(progress)}</News>}>
      {error !== null && <FailureNotice title={t("Could not load your progress")} error={error} onRetry={retry} />}
      {progress !== undefined ? <Steps {...progress} made={made} /> : error === null && <ListSkeleton what={t("your progress")} />}
    </Page>
  );
}

type Made = ReturnType<typeof useMadeSites>["all"][number];

function progressOf(facts: Facts, made: Made | undefined) {
  const done = stepsDone(facts);
  // A program's secrets are shown once, so the step stays open until somebody confirms that they are saved; a shop's stand at the next step.
  const isHeld = made?.isSaved === false && !isShop(made.site);
  const steps = stepsOf(isShop(facts.site));
  return { facts, done, isHeld, steps, next: isHeld ? "site" : nextStep(done, steps), count: steps.filter((name) => done[name]).length };
}

type Progress = ReturnType<typeof progressOf>;

/** One step is open at a time. */
function Steps({ facts, done, isHeld, steps, next, count, made }: Progress & { made: Made | undefined }) {
  const { open, show } = useOpenStep(steps, next, isHeld);
  const mayWrite = useMay("operator");
  const contents: Record<StepName, { summary: ReactNode; panel: ReactNode }> = {
    platform: { summary: <PlatformSummary {...facts} />, panel: <PlatformStep {...facts} /> },
    site: { summary: <SiteSummary {...facts} />, panel: <SiteStep {...facts} unsaved={isHeld ? made : undefined} /> },
    template: { summary: <TemplateSummary {...facts} />, panel: <TemplateStep {...facts} /> },
    binding: { summary: <BindingSummary {...facts} />, panel: <BindingStep {...facts} /> },
    event: { summary: <EventSummary {...facts} />, panel: <EventStep {...facts} made={made} /> },
    connect: { summary: <ConnectSummary {...facts} />, panel: <ConnectStep {...facts} /> },
    messages: { summary: <MessagesSummary {...facts} />, panel: <MessagesStep {...facts} /> },
    order: { summary: <OrderSummary {...facts} />, panel: <OrderStep {...facts} /> },
  };
  return (
    <Stack gap="xl" maw="70rem">
      <Stack gap="xs">
        <ProgressBar value={(count / steps.length) * 100} aria-label={t("Steps done")} color="teal.9" size="sm" />
        {next === undefined && (
          <Group gap="lg">
            <TextLink to={paths.home}>{t("Go to Home")}</TextLink>
            {mayWrite && <TextLink to={paths.bindings}>{t("Create more bindings")}</TextLink>}
            <TextLink to={paths.developers}>{t("Read the documentation")}</TextLink>
          </Group>
        )}
      </Stack>
      <Stack component="ol" gap={0}>
        {steps.map((name, index) => (
          <Step
            key={name}
            name={name}
            number={index + 1}
            isDone={done[name]}
            isOpen={open === name}
            onOpen={() => show(name)}
            summary={contents[name].summary}
          >
            {contents[name].panel}
          </Step>
        ))}
      </Stack>
    </Stack>
  );
}

/** Whether it is known to have sent nothing. */
const isSilent = ({ chat, recipientsSent, recipientsScheduled }: NonNullable<Facts["event"]>): boolean =>
  chat !== null && chat !== "accepted" && recipientsSent + recipientsScheduled === 0;

const tellProgress = ({ count, steps, ...progress }: Progress): string =>
  `${t("{count} of {count2} done.", { count, count2: steps.length })} ${describeNext(progress)}`;

function describeNext({ next, isHeld, facts: { event } }: Omit<Progress, "count" | "steps">): string {
  if (isHeld) return t("Save the API key and the webhook secret before you continue.");
  if (next !== undefined) return t("Next: {value}.", { value: stepTitles[next] });
  return event !== undefined && isSilent(event)
    ? t("Everything is set up, but no event has sent a message yet: the last one says why.")
    : t("Everything is set up: new events send messages.");
}

interface StepProps {
  name: StepName;
  number: number;
  isDone: boolean;
  isOpen: boolean;
  onOpen: () => void;
  /** One line: the result, or the purpose. */
  summary: ReactNode;
  children: ReactNode;
}

function Step({ name, number, isDone, isOpen, onOpen, summary, children }: StepProps) {
  const panel = useId();
  return (
    <li className={classes["step"]} data-done={isDone || undefined} data-open={isOpen || undefined}>
      <Center component="span" w="2rem" h="2rem" fz="sm" fw={600} bdrs="50%" className={classes["mark"] ?? ""} aria-hidden>
        {isDone ? <IconCheck size={16} stroke={2.5} /> : number}
      </Center>
      <Box miw={0}>
        <Box component="h2" m={0} fz="lg" lh="2rem" className={classes["heading"] ?? ""}>
          <UnstyledButton
            id={stepButtonId(name)}
            fw={600}
            bdrs="sm"
            className={classes["title"]}
            aria-expanded={isOpen}
            aria-controls={isOpen ? panel : undefined}
            aria-disabled={isOpen || undefined}
            onClick={onOpen}
          >
            {stepTitles[name]}
            <VisuallyHidden>{isDone ? t("Done") : t("Not done")}</VisuallyHidden>
          </UnstyledButton>
        </Box>
        <Dimmed component="p">{summary}</Dimmed>
        {isOpen && (
          <Box id={panel} mt="md" bdrs="md" fz="sm" className={classes["panel"] ?? ""}>
            {children}
          </Box>
        )}
      </Box>
    </li>
  );
}

const BindingSummary = ({ binding }: Facts) =>
  binding === undefined
    ? t("A binding says which event sends which template, to whom, and with which variables.")
    : t("{event} sends {template}.", { event: binding.event, template: binding.template });

function BindingStep({ site, example, approved, binding }: Facts) {
  if (binding !== undefined) return <TextLink {...pages.binding(binding.id)}>{t("Open binding")}</TextLink>;
  if (site === undefined || approved === undefined) return <Text>{t("Add a site and get a template approved first.")}</Text>;
  if (approved.id === example?.id) return <ExampleBinding site={site} template={approved} />;
  return (
    <ForRole>
      <ButtonLink to={paths.newBinding} search={{ siteId: site.id, event: exampleEvent, templateId: approved.id }}>
        {t("Create binding for {name}", { name: approved.name })}
      </ButtonLink>
    </ForRole>
  );
}

function ExampleBinding({ site, template }: { site: NonNullable<Facts["site"]>; template: NonNullable<Facts["approved"]> }) {
  const binding = {
    siteId: site.id,
    event: exampleEvent,
    templateId: template.id,
    recipient: { strategy: "customer" as const },
    variableMap: exampleVariableMap,
  };
  const create = trpc.bindings.create.useMutation({ onSuccess: () => cache.bindings.invalidate() });
  const preview = trpc.bindings.preview.useQuery({ ...binding, payload: examplePayload });
  const shown = preview.data?.slots;
  return (
    <Stack data-wide>
      <Text>
        {rich(
          t("When <0>{exampleEvent}</0> arrives from {name}, the customer gets <1>{name2}</1> with these variables:", {
            exampleEvent,
            name: site.name,
            name2: template.name,
          }),
          <strong />,
          <strong />,
        )}
      </Text>
      <WideColumns>
        <VariableTable map={exampleVariableMap} slots={shown} />
        <FailureNotice title={t("Could not load the preview")} of={preview} />
        {shown !== undefined && (
          <PhonePreview title={t("Preview")}>
            <MessageBubble {...fillMessage(template, cleanSlots(template, shown), () => t("the example order has no value"))} />
          </PhonePreview>
        )}
      </WideColumns>
      <FailureNotice title={t("Could not create the binding")} of={create} />
      <ForRole>
        <Button w="fit-content" {...running(create, binding)}>
          {t("Create binding")}
        </Button>
      </ForRole>
    </Stack>
  );
}

const partLabels = { header: t("Header"), body: t("Text"), buttonUrl: t("Button") } as const;

const variableColumns: Column<{ id: string; spec: VarSpec; value: string }>[] = [
  { name: t("Variable"), kind: "title", cell: ({ id }) => id },
  { name: t("Value from"), cell: ({ spec }) => describeSource(spec) },
  { name: t("Example"), cell: ({ value }) => value },
];

function VariableTable({ map, slots }: { map: VariableMap; slots: SlotTexts | undefined }) {
  const rows = slotGroups.flatMap(({ mapKey, part }) =>
    Object.entries(map[mapKey] ?? {}).map(([slot, spec], at) => ({
      id: `${partLabels[part]} {{${slot}}}`,
      spec,
      value: slots?.[part][at] ?? "…",
    })),
  );
  return <DataTable label={t("Variables")} columns={variableColumns} rows={rows} rowKey={({ id }) => id} />;
}
