import { Card, NativeSelect, Text, Textarea, type TextareaProps } from "@mantine/core";
import { updateSettingsInput } from "shared/core/input/sites";
import { useMay, WithSettings, type Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import classes from "./privacy.module.css";

type Words = Settings["optOut"];

/** By which words people stop and resume messages. */
export function OptOutWords() {
  const isOwner = useMay("owner");
  return (
    <Section
      title="Stop words"
      lead="A person who answers with one of these words, typed or on a button, gets no more messages. Upper and lower case are the same. Nothing else that people write is kept."
    >
      <WithSettings>{({ optOut }) => (isOwner ? <WordsForm optOut={optOut} /> : <WordFacts optOut={optOut} />)}</WithSettings>
    </Section>
  );
}

/** For roles that cannot change them. */
function WordFacts({ optOut: { stopWords, startWords, scope } }: { optOut: Words }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name="Stop words">{listed(stopWords)}</Fact>
        <Fact name="Start words">{listed(startWords)}</Fact>
        <Fact name="A stop word stops">{scopeLabels[scope]}</Fact>
      </Facts>
      <Text size="sm" c="dimmed" mt="sm">
        Only owners can change this.
      </Text>
    </Card>
  );
}

const listed = (words: readonly string[]): string => (words.length === 0 ? "None" : words.join(", "));

function WordsForm({ optOut }: { optOut: Words }) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { optOut: { ...optOut, stopWords: optOut.stopWords.join("\n"), startWords: optOut.startWords.join("\n") } },
    toInput: ({ optOut: { stopWords, startWords, scope } }) => ({
      optOut: { stopWords: linesOf(stopWords), startWords: linesOf(startWords), scope },
    }),
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
  });
  const words = (list: "stopWords" | "startWords") => {
    const name = `optOut.${list}`;
    const faults = Object.entries(form.faults).flatMap(([at, fault]) => (`${at}.`.startsWith(`${name}.`) ? (fault ?? []) : []));
    return { ...form.at(name), error: faults.length > 0 && faults.join(" "), autosize: true, minRows: 4, maxRows: 10, inputWrapperOrder };
  };
  return (
    <Card withBorder>
      <InputForm form={form} label="Stop words" failure="The words were not saved">
        <div className={classes["fields"]}>
          <Textarea label="Stop words" description="One a line" {...words("stopWords")} />
          <Textarea
            label="Start words"
            description="One a line; they end an opt-out, also one that WhatsApp reported"
            {...words("startWords")}
          />
        </div>
        <NativeSelect
          label="A stop word stops"
          maw="20rem"
          data={Object.entries(scopeLabels).map(([value, label]) => ({ value, label }))}
          {...form.at("optOut.scope")}
        />
        <FormButtons form={form} submit="Save words" saved="Saved" />
      </InputForm>
    </Card>
  );
}

/** The description stands below, so that the two inputs are in line. */
const inputWrapperOrder: NonNullable<TextareaProps["inputWrapperOrder"]> = ["label", "input", "description", "error"];

const scopeLabels: Record<Words["scope"], string> = { all: "All messages", marketing: "Marketing only" };

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
