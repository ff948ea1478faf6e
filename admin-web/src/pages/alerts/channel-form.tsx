import { Checkbox, NativeSelect, Stack, Switch, TextInput } from "@mantine/core";
import { type ChannelKind, channelKinds } from "shared/core/alert/alert";
import { type ProblemKind, problemKinds, usualKinds } from "shared/core/problem/problem";
import { formatParts } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { cache, type Inputs, type Outputs, trpc } from "../../trpc.ts";
import { ticked } from "../../ui/base/fields.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { UrlInput } from "../../ui/form/inputs.tsx";
import { kindLabel } from "../../ui/problem/problem-kinds.ts";
import labels from "./labels.json";

export const channelLabel = (kind: ChannelKind): string => translated(labels.channels[kind]);

const onSuccess = () => void cache.alerts.settings.invalidate();

interface ChannelFormProps {
  mailFrom: string | null;
  onAdded: (secret: string | undefined) => void;
  onCancel: () => void;
}

export function ChannelForm({ mailFrom, onAdded, onCancel }: ChannelFormProps) {
  const initialValues = {
    kind: (mailFrom === null ? "slack" : "email") as ChannelKind,
    address: "",
    url: "",
    routingKey: "",
    ...usualChoice,
  };
  const form = useInputForm({
    initialValues,
    toInput: ({ kind, name: called, isChosen, kinds, ...fields }) => {
      const { name: member } = fieldOf[kind];
      const named = { ...(called.trim() !== "" && { name: called }), ...(isChosen && { kinds }) };
      return { kind, [member]: fields[member].trim(), ...named } as Inputs["alerts"]["addChannel"];
    },
    check: by("addChannelInput"),
    submit: trpc.alerts.addChannel.useMutation({ onSuccess }).mutateAsync,
    onSaved: ({ secret }) => onAdded(secret),
  });
  const { kind } = form.values;
  const { name, ...look } = fieldOf[kind];
  const words = { ...look, description: translated(labels.places[kind], { value: mailFrom ?? "" }) };
  const offered = channelKinds.filter((each) => each !== "email" || mailFrom !== null);
  return (
    <InputForm form={form} failure={t("The channel was not added")} submit={t("Add channel")} onCancel={onCancel}>
      <NativeSelect label={t("Channel")} data={offered.map((value) => ({ value, label: channelLabel(value) }))} {...form.at("kind")} />
      {name === "url" ? (
        <UrlInput {...words} data-autofocus {...form.at(name)} />
      ) : (
        <TextInput key={name} {...words} required data-autofocus {...form.at(name)} />
      )}
      <ChoiceFields form={form} kind={kind} />
    </InputForm>
  );
}

/** The member of the input that says where a channel of a kind is, and its field. */
const fieldOf = {
  email: { name: "address", label: t("E-mail address"), type: "email" },
  pagerduty: { name: "routingKey", label: t("Integration key") },
  slack: { name: "url", label: t("URL"), placeholder: "https://hooks.slack.com/services/…" },
  teams: { name: "url", label: t("URL"), placeholder: "https://….logic.azure.com/workflows/…" },
  webhook: { name: "url", label: t("URL"), placeholder: "https://ops.example/alerts" },
} as const;

/** The name of a channel, and the kinds that it is told of if it is not told of the usual ones. */
type Choice = { name: string; isChosen: boolean; kinds: ProblemKind[] };

const usualChoice: Choice = { name: "", isChosen: false, kinds: [...usualKinds] };

export const isUsual = (kinds: readonly ProblemKind[]): boolean =>
  kinds.length === usualKinds.length && usualKinds.every((kind) => kinds.includes(kind));

interface ChoiceForm {
  values: Choice;
  change: (changes: Partial<Choice>) => void;
  at: (name: string) => object;
}

const ChoiceFields = ({ form: { values, change, at }, kind }: { form: ChoiceForm; kind: ChannelKind }) => (
  <>
    <TextInput label={t("Name")} placeholder={channelLabel(kind)} maxLength={80} {...at("name")} />
    <Switch label={t("Only some kinds of problems")} {...ticked(values.isChosen, (isOn) => change({ isChosen: isOn }))} />
    {values.isChosen && (
      <Checkbox.Group label={t("Kinds")} value={values.kinds} onChange={(kinds) => change({ kinds: kinds as ProblemKind[] })}>
        <Stack gap={6} mt={4} mah="14rem" style={{ overflowY: "auto" }}>
          {problemKinds.map((kind) => (
            <Checkbox key={kind} value={kind} label={kindLabel(kind)} />
          ))}
        </Stack>
      </Checkbox.Group>
    )}
  </>
);

type Channel = Outputs["alerts"]["settings"]["channels"][number];

const choiceOf = ({ name, kinds }: Channel): Choice => ({ name, isChosen: !isUsual(kinds), kinds });

const tellChoice = ({ name, isChosen, kinds }: Choice): ToldField[] => [
  { name: t("Name"), text: name, at: ["name"] },
  { name: t("Kinds"), text: formatParts((isChosen ? kinds : usualKinds).map(kindLabel)), at: ["isChosen", "kinds"] },
];

export function EditForm({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { id, kind, updatedAt } = channel;
  const form = useInputForm({
    initialValues: choiceOf(channel),
    toInput: (values) => ({ id, name: values.name, kinds: values.isChosen ? values.kinds : null }),
    check: by("updateChannelInput"),
    versioned: { updatedAt, fill: choiceOf, tell: tellChoice },
    submit: trpc.alerts.updateChannel.useMutation({ onSuccess }).mutateAsync,
    onSaved: onClose,
  });
  return (
    <InputForm form={form} failure={t("The channel was not changed")} submit={t("Save channel")} onCancel={onClose}>
      <ChoiceFields form={form} kind={kind} />
    </InputForm>
  );
}
