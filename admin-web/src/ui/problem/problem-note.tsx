import { Text, Textarea } from "@mantine/core";
import { t } from "../../language.ts";
import { InputForm, useInputForm } from "../form/input-form.tsx";

/** The most characters of a note. */
const longestNote = 2_000;

/** An empty text removes the note. `ifNote`: the one that was read. */
export type NoteInput = Record<"note" | "ifNote", string>;

interface NoteFormProps {
  problem: { title: string; note: string | null };
  onClose: () => void;
  onSave: (input: NoteInput) => Promise<unknown>;
}

const noteOf = ({ note }: Pick<NoteFormProps["problem"], "note">): NoteInput => ({ note: note ?? "", ifNote: note ?? "" });

/** Everybody in the account sees a problem's note; two people who write one at once are told. */
export function NoteForm({ problem, onClose, onSave }: NoteFormProps) {
  const form = useInputForm({
    initialValues: noteOf(problem),
    toInput: ({ note, ifNote }) => ({ note: note.trim(), ifNote }),
    check: () => [],
    submit: onSave,
    onSaved: onClose,
    versioned: { fill: noteOf, tell: ({ note }) => [{ name: t("Note"), text: note, at: ["note"] }] },
  });
  return (
    <InputForm form={form} failure={t("The note was not saved")} submit={t("Save note")} onCancel={onClose}>
      <Text>{problem.title}</Text>
      <Textarea
        label={t("Note")}
        description={t("Everybody in the account sees it.")}
        minRows={3}
        maxLength={longestNote}
        {...form.at("note")}
      />
    </InputForm>
  );
}
