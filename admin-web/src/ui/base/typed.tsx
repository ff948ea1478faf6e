import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { SecondaryButton } from "./buttons.tsx";
import classes from "./ui.module.css";

/** A password is no loss, and a switch outside of a form acts at once. */
const isKept = ({ value, type, form }: HTMLInputElement) =>
  typeof value === "string" && type !== "password" && (form !== null || type !== "checkbox");

const contentOf = ({ type, checked, value }: HTMLInputElement) => (type === "checkbox" ? `${checked}` : value);

/** Whether something typed in a dialog would be lost with it; `watched` are the props of what holds its fields. */
export function useTyped() {
  // The fields that a person has come to, with what they held then.
  const [before] = useState(() => new Map<HTMLInputElement, string>());
  const [sent, setSent] = useState(false);
  const note = ({ target }: { target: unknown }) => {
    const field = ((target as Element).closest("label")?.control ?? target) as HTMLInputElement;
    if (isKept(field) && !before.has(field)) before.set(field, contentOf(field));
  };
  const isRefused = (field: Element) => field.closest('[role="dialog"]')?.querySelector('[role="alert"], [aria-invalid="true"]') != null;
  return {
    isTyped: () => [...before].some(([field, value]) => field.isConnected && contentOf(field) !== value && (!sent || isRefused(field))),
    watched: {
      onKeyDownCapture: note,
      onPointerDownCapture: note,
      onBeforeInputCapture: note,
      onInputCapture: () => setSent(false),
      onSubmitCapture: () => setSent(true),
    },
  };
}

/** Asks in the place of the dialog's buttons, with the focus on what keeps the text. */
export const DiscardQuestion = ({ onKeep, onDiscard }: Record<"onKeep" | "onDiscard", () => void>) => (
  <Group className={classes["footer"] ?? ""} justify="flex-end" gap="sm" role="alertdialog" aria-label={t("Discard what you typed?")}>
    <Text flex="1 1 100%" fw={600}>
      {t("Discard what you typed?")}
    </Text>
    <SecondaryButton ref={(button) => button?.focus()} onClick={onKeep}>
      {t("Keep editing")}
    </SecondaryButton>
    <Button color="red.9" onClick={onDiscard}>
      {t("Discard")}
    </Button>
  </Group>
);
