import { Button, Group, Stack, Text, VisuallyHidden, ActionIcon, Card, TextInput } from "@mantine/core";
import IconArrowDown from "@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs";
import IconArrowUp from "@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { useRef, useEffect, useState } from "react";
import { toDefinition } from "shared/core/template/draft";
import { limits } from "shared/core/template/platform-limits";
import { urlSlotsOf } from "shared/core/template/slots";
import { type ButtonValues, toUnchecked, type ButtonType, newButton } from "./draft.ts";
import { FieldNote, insertText } from "./fields.tsx";
import type { Draft } from "./use-editing.ts";
import classes from "./template.module.css";

interface ButtonRowProps {
  button: ButtonValues;
  /** `urlSlot`: which of the addresses with a variable is its, -1 for none. */
  place: { index: number; count: number; urlSlot: number };
  draft: Draft;
  onChange: (changes: Partial<ButtonValues>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** The buttons under a message: made, changed, moved and removed, all by keyboard too. */
export function ButtonFields({ draft }: { draft: Draft }) {
  const { buttons } = draft.values;
  const { news, add, update, move, remove } = useButtonList(draft);
  const slots = urlSlotsOf(toDefinition(toUnchecked(draft.values, "given")));
  return (
    <Stack gap="sm">
      {buttons.map((button, index) => (
        <ButtonRow
          key={button.key}
          button={button}
          place={{ index, count: buttons.length, urlSlot: slots.findIndex((slot) => slot.index === index) }}
          draft={draft}
          onChange={(changes) => update(index, { ...button, ...changes })}
          onMove={(to) => move(button, to)}
          onRemove={() => remove(button)}
        />
      ))}
      {draft.errorAt("buttons") !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {draft.errorAt("buttons")}
        </Text>
      )}
      <Group gap="xs">
        {buttonTypes.map(({ type, add: label }) => (
          <Button
            key={type}
            id={addId(type)}
            data-field={type === "URL" ? "buttons" : undefined}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            // Looks disabled and stays reachable, since the focus comes here after a removal.
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
  const { button, place, draft, onChange, onMove, onRemove } = props;
  const { index, count } = place;
  const name = `Button ${index + 1}`;
  const textField = `buttons.${index}.text`;
  return (
    <Card withBorder padding="sm" role="group" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text size="sm" fw={600}>
            {index + 1}. {buttonTypes.find(({ type }) => type === button.type)?.name}
          </Text>
          <Group gap={4}>
            <ActionIcon
              id={partId(button, "up")}
              variant="subtle"
              color="gray"
              disabled={index === 0}
              aria-label={`Move ${name} up`}
              onClick={() => onMove(index - 1)}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              id={partId(button, "down")}
              variant="subtle"
              color="gray"
              disabled={index === count - 1}
              aria-label={`Move ${name} down`}
              onClick={() => onMove(index + 1)}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${name}`} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
        <div className={classes["pair"]}>
          <TextInput
            id={partId(button, "text")}
            label="Label"
            {...draft.at(textField)}
            required
            autoComplete="off"
            description={<FieldNote text={button.text} limit={limits.buttonText} />}
            value={button.text}
            onChange={(event) => onChange({ text: event.currentTarget.value })}
          />
          <ButtonTarget {...props} />
        </div>
      </Stack>
    </Card>
  );
}

/** Where a button leads: an address, which may end in a variable, or a phone number. A quick reply answers the message. */
function ButtonTarget(props: ButtonRowProps) {
  switch (props.button.type) {
    case "URL":
      return <UrlTarget {...props} />;
    case "PHONE_NUMBER":
      return <PhoneTarget {...props} />;
    case "QUICK_REPLY":
      return null;
  }
}

function UrlTarget({ button, place, draft, onChange }: ButtonRowProps) {
  const input = useRef<HTMLInputElement>(null);
  const field = `buttons.${place.index}.url`;
  const hasVariable = place.urlSlot >= 0;
  const append = () => {
    const end = button.url.length;
    input.current?.setSelectionRange(end, end);
    if (input.current !== null) insertText(input.current, "{{1}}");
  };
  return (
    <div>
      <TextInput
        ref={input}
        label="Address"
        {...draft.at(field)}
        required
        autoComplete="off"
        placeholder="https://"
        description={<FieldNote text={button.url} limit={limits.url} />}
        value={button.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      {!hasVariable && (
        <Button variant="default" size="compact-sm" mt={6} onClick={append}>
          Add a variable at the end
        </Button>
      )}
    </div>
  );
}

function PhoneTarget({ button, place, draft, onChange }: ButtonRowProps) {
  const field = `buttons.${place.index}.phone`;
  return (
    <TextInput
      type="tel"
      label="Phone number"
      {...draft.at(field)}
      required
      autoComplete="off"
      placeholder="+4930123456"
      description={<FieldNote text={button.phone} limit={limits.buttonPhone} />}
      value={button.phone}
      onChange={(event) => onChange({ phone: event.currentTarget.value })}
    />
  );
}

/** What is done with the list of buttons. The focus follows, and `news` says what became of it. */
function useButtonList({ values: { buttons }, change }: Draft) {
  const [news, setNews] = useState("");
  // Given when what gets it is there, and where it will stay.
  const focusNext = useRef<string | null>(null);
  useEffect(() => {
    if (focusNext.current !== null) document.getElementById(focusNext.current)?.focus();
    focusNext.current = null;
  });
  const set = (next: ButtonValues[], focus: string | null) => {
    focusNext.current = focus;
    change({ buttons: next });
  };
  return {
    news,
    add: (type: ButtonType) => {
      const added = newButton(type, buttons);
      set(withButton(buttons, added), partId(added, "text"));
    },
    update: (index: number, button: ButtonValues) => set(buttons.with(index, button), null),
    move: (button: ButtonValues, to: number) => {
      const from = buttons.indexOf(button);
      // At an end only the other way is left.
      const next = to === 0 ? "down" : to === buttons.length - 1 || to < from ? "up" : "down";
      set(withMoved(buttons, from, to), partId(button, next));
      setNews(`Button ${from + 1} is number ${to + 1} now.`);
    },
    remove: (button: ButtonValues) => {
      set(
        buttons.filter((each) => each !== button),
        addId(button.type),
      );
      setNews(`Button ${buttons.indexOf(button) + 1} is removed.`);
    },
  };
}

/** Of what adds a button of that type. */
const addId = (type: ButtonType): string => `add-${type}`;

const buttonTypes: { type: ButtonType; name: string; add: string; most: number }[] = [
  { type: "URL", name: "Link", add: "Add link", most: limits.urlButtons },
  { type: "QUICK_REPLY", name: "Quick reply", add: "Add quick reply", most: limits.buttons },
  { type: "PHONE_NUMBER", name: "Phone number", add: "Add phone number", most: limits.phoneButtons },
];

/** Whether the platform takes one more of that type. */
export function mayAdd(type: ButtonType, buttons: readonly ButtonValues[]): boolean {
  const most = buttonTypes.find((each) => each.type === type)?.most ?? 0;
  return buttons.length < limits.buttons && buttons.filter((button) => button.type === type).length < most;
}

/** With a new button behind the last of its kind, since the quick replies have to stand together. */
export function withButton(buttons: readonly ButtonValues[], added: ButtonValues): ButtonValues[] {
  const isReply = (button: ButtonValues): boolean => button.type === "QUICK_REPLY";
  const last = buttons.findLastIndex((button) => isReply(button) === isReply(added));
  return last < 0 ? [...buttons, added] : buttons.toSpliced(last + 1, 0, added);
}

/** With the button at `from` standing at `to`. */
export function withMoved(buttons: readonly ButtonValues[], from: number, to: number): ButtonValues[] {
  const rest = buttons.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...buttons.slice(from, from + 1));
}

/** Of a part of a button's row, wherever the row is moved. */
const partId = ({ key }: ButtonValues, part: string): string => `button-${key}-${part}`;
