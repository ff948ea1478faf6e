import { Button, type ButtonProps, Group, Stack, Text, TextInput, Modal, Alert, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { t, translated } from "../../language.ts";
import { CopyField, SecondaryButton } from "./buttons.tsx";
import { doing, bound } from "./fields.ts";
import { Awaiting, prepare, useAhead } from "./later.tsx";
import { FailureNotice, Loading } from "./page.tsx";
import classes from "./ui.module.css";

/** What reaches more than so many things is confirmed by typing. */
export const manyThings = 500;

interface ConfirmProps {
  /** The label of the button: a verb and its object. */
  action: string;
  /** The text to type first, where a mistake would be costly. */
  typed?: string | undefined;
  /** The label of the button that changes nothing. */
  dismiss?: string | undefined;
  /** True if the action takes nothing away. */
  isMild?: boolean | undefined;
  /** True until it is known what it reaches. */
  isCounting?: boolean | undefined;
  /** True once everything that it needs is entered. */
  isAllowed?: boolean | undefined;
  onClose: () => void;
  /** Rejects when the server refuses: the dialog then stays and shows the reason. */
  onConfirm: () => Promise<unknown>;
  /** The consequences. */
  children: ReactNode;
}

/** Confirms an action that cannot be undone. */
export const ConfirmDialog = ({ title, opened, onClose, children, ...rest }: ConfirmProps & { title: string; opened: boolean }) => (
  <Dialog title={title} opened={opened} onClose={onClose}>
    <ConfirmForm onClose={onClose} {...rest}>
      {children}
    </ConfirmForm>
  </Dialog>
);

interface AskingProps extends Omit<ConfirmProps, "action" | "onClose">, Omit<DialogButtonProps, "children"> {
  label: string;
  /** The label of the button in the dialog; the same unless given. */
  action?: string;
}

/** A button that asks first; in a row or a card unless its size is given. */
export const ConfirmButton = ({ action, typed, dismiss, isMild, isAllowed, isCounting, onConfirm, children, ...button }: AskingProps) => (
  <DialogButton size="compact-sm" {...button}>
    {(onClose) => (
      <ConfirmForm {...{ typed, dismiss, isMild, isAllowed, isCounting, onConfirm, children, onClose }} action={action ?? button.label} />
    )}
  </DialogButton>
);

/** What a page's table of texts has of a question. `name`: the button's for screen readers, where its label does not tell what it is about. */
type Question = Record<"label" | "title" | "text", string> & Partial<Record<"name" | "action" | "dismiss", string>>;

interface AskButtonProps extends Omit<AskingProps, keyof Question | "aria-label" | "children"> {
  question: Question;
  /** Those of its placeholders. */
  values?: Record<string, string | number>;
  /** What it asks for besides, below its text. */
  children?: ReactNode;
}

/** A button that asks in the words of a table. */
export function AskButton({ question, values = {}, children, ...button }: AskButtonProps) {
  const told = Object.entries(question).map(([part, words]) => [part === "name" ? "aria-label" : part, translated(words, values)]);
  const { text, ...words } = Object.fromEntries(told) as Pick<Question, "label" | "title" | "text">;
  return (
    <ConfirmButton {...words} {...button}>
      <Stack>
        <Text>{text}</Text>
        {children}
      </Stack>
    </ConfirmButton>
  );
}

export function ConfirmForm({ action, typed, dismiss, isMild, isAllowed = true, isCounting, onClose, onConfirm, children }: ConfirmProps) {
  const [text, setText] = useState("");
  const confirm = useMutation({ mutationFn: () => onConfirm(), onSuccess: onClose });
  // What a colleague has deleted meanwhile cannot be deleted again.
  const isGone = (confirm.error as { data?: { gone?: unknown } } | null)?.data?.gone != null;
  const isReady = isAllowed && isCounting !== true && !isGone && (typed === undefined || text.trim() === typed);
  return (
    <Stack component="form" onSubmit={doing(() => isReady && confirm.mutate())}>
      <Text component="div">{children}</Text>
      <FailureNotice title={t("That did not work")} of={confirm} />
      <DialogButtons
        {...{ dismiss, onClose }}
        action={isCounting === true ? t("Counting…") : action}
        {...(isMild !== true && { color: "red.9" })}
        disabled={!isReady}
        loading={confirm.isPending}
      >
        {typed !== undefined && <TextInput label={t("Type {typed} to confirm", { typed })} data-autofocus {...bound(text, setText)} />}
      </DialogButtons>
    </Stack>
  );
}

interface DialogButtonsProps extends Pick<ButtonProps, "color" | "disabled" | "loading"> {
  "data-autofocus"?: true;
  /** The label of the button that acts, if there is one: it sends the form, unless `onAct` is given. */
  action?: string;
  onAct?: (() => void) | undefined;
  dismiss?: string | undefined;
  /** Absent where nothing can be left. */
  onClose: (() => void) | undefined;
  /** What the buttons wait for. */
  children?: ReactNode;
}

/** The end of a dialog, which stays in sight. */
export const DialogButtons = ({ action, onAct, dismiss = t("Cancel"), onClose, children, ...button }: DialogButtonsProps) => (
  <Stack className={classes["footer"] ?? ""}>
    {children}
    <Group justify={onClose === undefined ? "flex-start" : "flex-end"} gap="sm">
      {onClose !== undefined && (
        <SecondaryButton data-safe onClick={onClose}>
          {dismiss}
        </SecondaryButton>
      )}
      {action !== undefined && (
        <Button {...button} {...(onAct === undefined ? { type: "submit" as const } : { onClick: onAct })}>
          {action}
        </Button>
      )}
    </Group>
  </Stack>
);

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** True if it closes only by a button inside. */
  insists?: boolean;
  size?: "md" | "lg";
  /** May load with its first opening. */
  children: ReactNode;
}

/** Escape, its X and a click outside close it, after a question where something typed would be lost. Its content mounts anew each time it opens. */
export function Dialog({ title, opened, onClose, insists = false, size = "md", children }: DialogProps) {
  const { root, isMeant } = useMeant();
  const { isTyped, watched } = useTyped();
  /** What had the focus when it was asked whether to discard. */
  const [left, leave] = useState<Element | null>(null);
  if (!opened && left !== null) leave(null);
  useAhead(() => prepare(children));
  const keep = () => {
    flushSync(() => leave(null));
    if (left instanceof HTMLElement) left.focus();
  };
  return (
    <Modal
      size={size}
      title={<strong>{title}</strong>}
      opened={opened}
      ref={root}
      onClose={() => isMeant() && (left !== null ? keep() : isTyped() ? leave(document.activeElement) : onClose())}
      closeOnClickOutside={!insists}
      closeOnEscape={!insists}
      withCloseButton={!insists}
      closeButtonProps={{ "aria-label": t("Close") }}
      centered
      {...watched}
    >
      <Begun what={title}>{children}</Begun>
      {left !== null && <DiscardQuestion onKeep={keep} onDiscard={onClose} />}
    </Modal>
  );
}

/** A password is no loss, and a switch outside of a form acts at once. */
const isKept = ({ value, type, form }: HTMLInputElement) =>
  typeof value === "string" && type !== "password" && (form !== null || type !== "checkbox");

const contentOf = ({ type, checked, value }: HTMLInputElement) => (type === "checkbox" ? `${checked}` : value);

/** Whether something typed in a dialog would be lost with it; `watched` are the props of what holds its fields. */
function useTyped() {
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
const DiscardQuestion = ({ onKeep, onDiscard }: Record<"onKeep" | "onDiscard", () => void>) => (
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

/** What is in a dialog, begun by the keyboard. What is typed before it has come presses no button. */
export const Begun = ({ what, children }: { what: string; children: ReactNode }) => (
  <>
    <span tabIndex={-1} data-autofocus style={{ outline: "none" }} ref={holdFocus} />
    <Awaiting fallback={<Loading what={what} />}>{children}</Awaiting>
  </>
);

/** Where the last key or click was meant: a dialog that it closes may be gone before those below hear of it. */
let meant: EventTarget | null = null;
/** What was typed outside of any field since a key or click that may open a dialog, which begins with it, however soon that is there; null: none may open. */
let early: string | null = null;
const note = ({ target, key = "", detail, ctrlKey, metaKey, altKey }: Omit<KeyboardEvent, "key"> & { key?: string }) => {
  meant = target;
  if (key === "Tab" || key === "Escape") early = null;
  else if (detail > 0 || ctrlKey || metaKey || altKey || key === "Enter" || (key === " " && !early)) early = "";
  else if (early !== null && key.length === 1 && !(target instanceof Element && target.matches(field))) early += key;
};
for (const type of ["keydown", "click"]) globalThis.addEventListener?.(type, note as EventListener, true);
/** What is a shortcut is no text. */
globalThis.addEventListener?.("keydown", ({ defaultPrevented, key, ctrlKey, metaKey }) => {
  if (defaultPrevented && key.length === 1 && !ctrlKey && !metaKey) early = null;
});

/** Of dialogs that stand on top of each other, Escape is meant for the one that has the focus. */
export function useMeant() {
  const root = useRef<HTMLDivElement>(null);
  const isMeant = () => {
    const focused = meant instanceof Element ? meant.closest('[role="dialog"]') : null;
    return focused === null || root.current?.contains(focused) === true;
  };
  return { root, isMeant };
}

const field = "input:not([type=hidden], [type=radio]:not(:checked)), textarea, select";
/** What a dialog begins with: the element that says so, its first field, or the button that changes nothing. */
const firsts = ["[data-autofocus]", `:is(${field}):enabled`, "[data-safe]", ":is(button, a):not(:disabled)"];

/** Holds the focus until the dialog has something to begin with, be it at once or once it has loaded, which then gets what was typed before. */
function holdFocus(holder: HTMLElement) {
  const begin = () => {
    if (document.activeElement !== holder) return;
    const first = firsts.map((each) =>
      holder.parentElement?.querySelector<HTMLElement>(`:scope > span ~ ${each}, :scope > span ~ * ${each}`),
    );
    (first.find(Boolean) ?? holder).focus();
    if (document.activeElement === holder) return;
    if (early) document.execCommand("insertText", false, early);
    early = null;
  };
  const watch = new MutationObserver(begin);
  if (holder.parentElement !== null) watch.observe(holder.parentElement, { childList: true, subtree: true });
  holder.addEventListener("focus", begin);
  return () => watch.disconnect();
}

interface DialogButtonProps extends Pick<ButtonProps, "size" | "variant" | "disabled" | "style" | "c"> {
  label: ReactNode;
  "aria-label"?: string;
  title: string;
  isWide?: boolean;
  children: (close: () => void) => ReactNode;
}

export type AskedDialog = Pick<DialogButtonProps, "title" | "isWide" | "children">;

/** Within a menu: shows the dialog of one of its items in place of the menu. */
export const InMenu = createContext<((dialog: AskedDialog) => void) | null>(null);

/** A dialog, of which nothing is drawn before it opens first: a list has two in each row. */
export function useDialog() {
  const [asked, ask] = useState<AskedDialog | null>(null);
  const [opened, { open, close }] = useDisclosure(false);
  return {
    show: (dialog: AskedDialog) => {
      // It is closed at first, so that it learns what had the focus.
      flushSync(() => ask(dialog));
      open();
    },
    /** `now`: what it has become meanwhile. */
    draw: (now = asked) =>
      asked !== null &&
      now !== null && (
        <Dialog title={now.title} opened={opened} onClose={close} size={now.isWide === true ? "lg" : "md"}>
          {now.children(close)}
        </Dialog>
      ),
  };
}

/** A button and its dialog; in a menu, an item. */
export function DialogButton({ label, title, isWide = false, c, children, ...button }: DialogButtonProps) {
  const showInstead = useContext(InMenu);
  const { show, draw } = useDialog();
  const asked = { title, isWide, children };
  const ready = () => prepare(children(() => {}));
  const colour = c && { c };
  if (showInstead !== null)
    return (
      <Menu.Item {...colour} ref={ready} onClick={() => showInstead(asked)}>
        {label}
      </Menu.Item>
    );
  return (
    <>
      <SecondaryButton {...colour} {...button} onPointerEnter={ready} onFocus={ready} onClick={() => show(asked)}>
        {label}
      </SecondaryButton>
      {draw(asked)}
    </>
  );
}

/** `standard`: the same as libraries of Standard Webhooks take it. */
export type ShownSecret = { secret: string; standard?: string };

interface SecretOnceProps extends ShownSecret {
  label: string;
  /** Instructions. */
  children: ReactNode;
  onSaved: () => void;
}

/** A secret that the server does not show again. */
export const SecretOnce = ({ label, secret, standard, children, onSaved }: SecretOnceProps) => (
  <Stack>
    <Text component="div">{children}</Text>
    <CopyField label={label} value={secret} data-autofocus />
    {standard !== undefined && <CopyField label={t("The same for Standard Webhooks libraries")} value={standard} />}
    <Alert color="yellow">{t("It is shown only once. Anyone who has it can use it: share it over a secure channel.")}</Alert>
    <Button onClick={onSaved}>{t("I have saved it")}</Button>
  </Stack>
);
