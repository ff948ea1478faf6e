import { ActionIcon, Card, Group, Stack, Text, TextInput } from "@mantine/core";
import IconArrowDown from "@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs";
import IconArrowUp from "@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { limits } from "shared/core/template/definition";
import { buttonTypes, partId } from "./button-list.ts";
import type { ButtonRowProps } from "./button-row-props.ts";
import { ButtonTarget } from "./button-target.tsx";
import { FieldNote } from "./field-note.tsx";
import classes from "./template-editor.module.css";

export function ButtonRow(props: ButtonRowProps) {
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
