import { Button, Group, Stack, Text, VisuallyHidden, Card, TextInput } from "@mantine/core";
import IconArrowDown from "@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs";
import IconArrowUp from "@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { useRef, useState } from "react";
import { toDefinition } from "shared/core/template/draft";
import { limits } from "shared/core/template/platform-limits";
import { urlSlotsOf } from "shared/core/template/slots";
import { t } from "../../language.ts";
import { Columns } from "../../ui/base/layout.tsx";
import { QuietIcon } from "../../ui/base/more-actions.tsx";
import { Fault } from "../../ui/form/input-form.tsx";
import { UrlInput, useFocusNext } from "../../ui/form/inputs.tsx";
import { type ButtonValues, toUnchecked, type ButtonType, newButton } from "./draft.ts";
import { insertText, noted } from "./fields.tsx";
import type { TemplateForm } from "./use-editing.ts";

interface ButtonRowProps {
  button: ButtonValues;
  /** `urlSlot` is the button's index among the URLs with a variable; -1 for none. */
  place: { index: number; count: number; urlSlot: number };
  form: TemplateForm;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** The buttons of a message. The keyboard can add, move and remove them too. */
export function ButtonFields({ form }: { form: TemplateForm }) {
  const { buttons } = form.values;
  const { news, add, move, remove } = useButtonList(form);
  const slots = urlSlotsOf(toDefinition(toUnchecked(form.values, "given")));
  return (
    <Stack gap="sm">
      {buttons.map((button, index) => (
        <ButtonRow
          key={button.key}
          button={button}
          place={{ index, count: buttons.length, urlSlot: slots.findIndex((slot) => slot.index === index) }}
          form={form}
          onMove={(to) => move(button, to)}
          onRemove={() => remove(button)}
        />
      ))}
      <Fault>{form.faults["buttons"]}</Fault>
      <Group gap="xs">
        {buttonTypes.map(({ type, add: label }) => (
          <Button
            key={type}
            id={addId(type)}
            data-path={type === "URL" ? "buttons" : undefined}
            variant="light"
            size="xs"
            // The button stays focusable, since a removal moves the focus here.
            data-disabled={!mayAdd(type, buttons)}
            aria-disabled={!mayAdd(type, buttons)}
            onClick={() => mayAdd(type, buttons) && add(type)}
          >
            {label}
          </Button>
        ))}
      </Group>
      <VisuallyHidden role="status">{news}</VisuallyHidden>
    </Stack>
  );
}

function ButtonRow(props: ButtonRowProps) {
  const { button, place, form, onMove, onRemove } = props;
  const { index, count } = place;
  const name = t("Button {value}", { value: index + 1 });
  const at = `buttons.${index}`;
  return (
    <Card padding="sm" role="group" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>
            {index + 1}. {buttonTypes.find(({ type }) => type === button.type)?.name}
          </Text>
          <Group gap={4}>
            {moves.map(({ part, by, label, Icon }) => (
              <QuietIcon
                key={part}
                id={partId(button, part)}
                disabled={index + by < 0 || index + by === count}
                aria-label={label(name)}
                onClick={() => onMove(index + by)}
              >
                <Icon size={16} aria-hidden />
              </QuietIcon>
            ))}
            <QuietIcon aria-label={t("Remove {name}", { name })} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </QuietIcon>
          </Group>
        </Group>
        <Columns least="14rem">
          <TextInput id={partId(button, "text")} label={t("Label")} {...noted(form, `${at}.text`, limits.buttonText)} required />
          {button.type === "URL" && <UrlTarget {...props} />}
          {button.type === "PHONE_NUMBER" && (
            <TextInput
              type="tel"
              label={t("Phone number")}
              {...noted(form, `${at}.phone`, limits.buttonPhone)}
              required
              placeholder="+4930123456"
            />
          )}
        </Columns>
      </Stack>
    </Card>
  );
}

const moves = [
  { part: "up", by: -1, label: (name: string) => t("Move {name} up", { name }), Icon: IconArrowUp },
  { part: "down", by: 1, label: (name: string) => t("Move {name} down", { name }), Icon: IconArrowDown },
];

function UrlTarget({ button, place, form }: ButtonRowProps) {
  const input = useRef<HTMLInputElement>(null);
  const hasVariable = place.urlSlot >= 0;
  const append = () => {
    const end = button.url.length;
    input.current?.setSelectionRange(end, end);
    if (input.current !== null) insertText(input.current, "{{1}}");
  };
  return (
    <div>
      <UrlInput ref={input} label={t("URL")} {...noted(form, `buttons.${place.index}.url`, limits.url)} placeholder="https://" />
      {!hasVariable && (
        <Button variant="light" size="xs" mt={6} onClick={append}>
          {t("Add variable at the end")}
        </Button>
      )}
    </div>
  );
}

/** Changes of the list. The focus follows; `news` is for screen readers. */
function useButtonList({ values: { buttons }, change }: TemplateForm) {
  const [news, setNews] = useState("");
  const focusNext = useFocusNext();
  const set = (next: ButtonValues[], focus: string) => {
    focusNext(focus);
    change({ buttons: next });
  };
  return {
    news,
    add: (type: ButtonType) => {
      const added = newButton(type, buttons);
      set(withButton(buttons, added), partId(added, "text"));
    },
    move: (button: ButtonValues, to: number) => {
      const from = buttons.indexOf(button);
      // The other direction is disabled at an end.
      const next = to === 0 ? "down" : to === buttons.length - 1 || to < from ? "up" : "down";
      set(withMoved(buttons, from, to), partId(button, next));
      setNews(t("Button {value} moved to position {value2}.", { value: from + 1, value2: to + 1 }));
    },
    remove: (button: ButtonValues) => {
      set(
        buttons.filter((each) => each !== button),
        addId(button.type),
      );
      setNews(t("Button {value} removed.", { value: buttons.indexOf(button) + 1 }));
    },
  };
}

const addId = (type: ButtonType): string => `add-${type}`;

const buttonTypes: { type: ButtonType; name: string; add: string; most: number }[] = [
  { type: "URL", name: t("Link"), add: t("Add link"), most: limits.urlButtons },
  { type: "QUICK_REPLY", name: t("Quick reply"), add: t("Add quick reply"), most: limits.buttons },
  { type: "PHONE_NUMBER", name: t("Phone number"), add: t("Add phone number"), most: limits.phoneButtons },
];

/** Whether one more of that type is allowed. */
export function mayAdd(type: ButtonType, buttons: readonly ButtonValues[]): boolean {
  const most = buttonTypes.find((each) => each.type === type)?.most ?? 0;
  return buttons.length < limits.buttons && buttons.filter((button) => button.type === type).length < most;
}

/** Adds a button after the last of its kind, since quick replies must be together. */
export function withButton(buttons: readonly ButtonValues[], added: ButtonValues): ButtonValues[] {
  const isReply = (button: ButtonValues): boolean => button.type === "QUICK_REPLY";
  const last = buttons.findLastIndex((button) => isReply(button) === isReply(added));
  return last < 0 ? [...buttons, added] : buttons.toSpliced(last + 1, 0, added);
}

/** Moves the button at `from` to `to`. */
export const withMoved = (buttons: readonly ButtonValues[], from: number, to: number): ButtonValues[] =>
  buttons.toSpliced(from, 1).toSpliced(to, 0, ...buttons.slice(from, from + 1));

const partId = ({ key }: ButtonValues, part: string): string => `button-${key}-${part}`;
