import { Alert, Button, Code, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { assistantProviders, defaultAssistantLimits, defaultAssistantUrls } from "shared/core/assistant";
import { formatCount } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { RolePage } from "../../role-page.tsx";
import { cache, type Outputs, trpc, trpcClient } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { AskButton } from "../../ui/base/dialogs.tsx";
import { Fact, Facts } from "../../ui/base/facts.tsx";
import { bound, running } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { Section, FailureNotice, rich, Loaded } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { Sentences } from "../../ui/base/sentences.tsx";
import { Told } from "../../ui/base/told.tsx";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { WholeNumberInput } from "../../ui/form/idempotency-hours.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { UrlInput } from "../../ui/form/inputs.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import asks from "./ask-labels.json";
import labels from "./field-labels.json";
import helps from "./help-labels.json";

export const AssistantPage = () => (
  <RolePage needed="operator" title={t("Assistant")} lead={useStateLine()}>
    <Content />
  </RolePage>
);

function useStateLine() {
  const { data } = trpc.assistant.get.useQuery(undefined, { enabled: useMay("operator") });
  return tellState("assistant", { state: data && (data.isOn ? t("On") : t("Off")), model: data?.isOn && data.model });
}

type Assistant = Outputs["assistant"]["get"];

function Content() {
  const mayChange = useMay("changeAssistant");
  const assistant = trpc.assistant.get.useQuery();
  return (
    <Loaded query={assistant} what={t("the assistant")}>
      {(data) => (
        <Stack gap="lg" maw="40rem">
          {data.isOn && (
            <Section title={t("Connection")} isCard>
              <Facts>
                <Provider {...data} />
              </Facts>
              {mayChange && <Actions />}
            </Section>
          )}
          {mayChange && (
            <Section
              title={t("Provider")}
              lead={t("The key is stored encrypted and never shown again. Your provider charges for answers.")}
              isCard
            >
              <ProviderForm assistant={data} />
            </Section>
          )}
          <WhatItDoes isOn={data.isOn} mayChange={mayChange} />
        </Stack>
      )}
    </Loaded>
  );
}

const Provider = ({ place, model, usedTokens, dailyTokens, settings }: Extract<Assistant, { isOn: true }>) => (
  <>
    <Fact name={t("Provider")}>{place}</Fact>
    <Fact name={t("Model")}>
      <Code>{model}</Code>
    </Fact>
    {settings !== null && (
      <Fact name={t("Key")}>
        {settings.keyHint === ""
          ? settings.hasKey
            ? t("Stored")
            : t("None")
          : rich(t("Ends in <0>{keyHint}</0>", { keyHint: settings.keyHint }), <Code />)}
      </Fact>
    )}
    <Fact name={t("Used in 24 hours")}>
      {t("{usedTokens} of {dailyTokens} tokens", { usedTokens: formatCount(usedTokens), dailyTokens: formatCount(dailyTokens) })}
    </Fact>
  </>
);

function Actions() {
  const attempt = trpc.assistant.try.useMutation({ onSettled: () => cache.assistant.get.invalidate() });
  const remove = async () => cache.assistant.get.setData(undefined, await trpcClient.settings.removeAssistant.mutate());
  return (
    <>
      <Group gap="sm">
        <Button {...running(attempt)}>{t("Test connection")}</Button>
        <AskButton size="sm" question={asks.switchOff} onConfirm={remove} />
      </Group>
      <FailureNotice title={t("Could not test the connection")} of={attempt} />
      <Text component="div" role="status">
        {attempt.data === undefined ? (
          t("The test asks one short question. It contains nothing about your account.")
        ) : attempt.data.ok ? (
          <Alert color="teal" title={t("The assistant works")} />
        ) : (
          <Alert color="red" title={t("The assistant does not work")}>
            <Told text={attempt.data.error} said={attempt.data.said} />
          </Alert>
        )}
      </Text>
    </>
  );
}

const providerNames = { openai: t("OpenAI or a compatible server"), anthropic: t("Anthropic") };

function ProviderForm({ assistant }: { assistant: Assistant }) {
  const form: ProviderFormState = useInputForm({
    initialValues: fieldsOf(assistant),
    toInput: ({ apiKey, ...values }) => ({ ...values, ...(apiKey !== "" && { apiKey }) }),
    check: by("saveAssistantInput"),
    members: ["provider", "baseUrl", "model", "apiKey", "timeoutSeconds", "outputTokens", "dailyTokens"],
    submit: trpc.settings.saveAssistant.useMutation({ onSuccess: (saved) => cache.assistant.get.setData(undefined, saved) }).mutateAsync,
    afterSave: (sent) => ({ ...sent, apiKey: "" }),
    versioned: { updatedAt: assistant.isOn ? assistant.updatedAt : never, fill: fieldsOf, tell: tellProvider },
  });
  return (
    <InputForm form={form} label={t("Provider")} failure={t("The provider was not saved")} saved={t("Saved. Now test the connection.")}>
      <ProviderFields form={form} hasKey={assistant.isOn && assistant.settings?.hasKey === true} />
    </InputForm>
  );
}

/** The version of an assistant that nobody has entered. */
const never = new Date(0).toISOString();

function fieldsOf(assistant: Assistant) {
  const settings = assistant.isOn ? assistant.settings : null;
  return {
    provider: settings?.provider ?? ("openai" as const),
    baseUrl: settings?.baseUrl ?? defaultAssistantUrls.openai,
    model: assistant.isOn ? assistant.model : "",
    apiKey: "",
    timeoutSeconds: settings?.timeoutSeconds ?? defaultAssistantLimits.timeoutSeconds,
    outputTokens: settings?.outputTokens ?? defaultAssistantLimits.outputTokens,
    dailyTokens: assistant.isOn ? assistant.dailyTokens : defaultAssistantLimits.dailyTokens,
  };
}

const fields = tableOf(labels);
const fieldNames = Object.keys(fields) as (keyof typeof fields)[];
const numbers = ["timeoutSeconds", "outputTokens", "dailyTokens"] as const;

/** Nobody sees another's key: one that was entered stays entered. */
const tellProvider = (values: ProviderValues): ToldField[] =>
  fieldNames.map((name) => {
    const value = values[name];
    const text = typeof value === "number" ? formatCount(value) : name === "provider" ? providerNames[values.provider] : value;
    return { name: fields[name].label, text, at: [name] };
  });

type ProviderValues = ReturnType<typeof fieldsOf>;

type ProviderFormState = ReturnType<typeof useInputForm<ProviderValues, Assistant, object>>;

function ProviderFields({ form, hasKey }: { form: ProviderFormState; hasKey: boolean }) {
  const { provider, baseUrl } = form.values;
  const choose = (next: (typeof assistantProviders)[number]) => {
    const isDefault = Object.values(defaultAssistantUrls).includes(baseUrl);
    form.change({ provider: next, ...(isDefault && { baseUrl: defaultAssistantUrls[next] }) });
  };
  return (
    <>
      <NativeSelect
        {...fields.provider}
        data={assistantProviders.map((value) => ({ value, label: providerNames[value] }))}
        {...bound(provider, (text) => choose(text === "anthropic" ? "anthropic" : "openai"))}
      />
      <UrlInput {...form.at("baseUrl")} {...fields.baseUrl} />
      <TextInput {...form.at("model")} {...fields.model} spellCheck={false} required />
      <PasswordInput
        {...form.at("apiKey")}
        {...fields.apiKey}
        description={hasKey ? t("Leave empty to keep the stored one.") : t("Your own server may need none.")}
      />
      {numbers.map((name) => (
        <WholeNumberInput key={name} {...form.at(name)} {...fields[name]} required />
      ))}
    </>
  );
}

const WhatItDoes = ({ isOn, mayChange }: { isOn: boolean; mayChange: boolean }) => (
  <Section title={isOn ? t("Where it helps") : t("What it would do")}>
    <Sentences spacing="xs" of={helps.map((text) => rich(translated(text), <strong />))} />
    <Text>
      {rich(
        t(
          "It changes nothing by itself: you check each proposal, change it and save it. The model gets field names, template texts and error codes, but no event values, phone numbers or customer names. Each person sees the whole text before the first question and can view it each time. <0>What is shared, and the limits</0>",
        ),
        <TextLink {...pages.topic("assistant")} />,
      )}
    </Text>
    {!isOn && (
      <Text>
        {mayChange
          ? t(
              "To begin, enter a provider above: an account with OpenAI or Anthropic, or your own server, such as Ollama, vLLM or LM Studio.",
            )
          : t("An account owner can switch it on here.")}
      </Text>
    )}
  </Section>
);
