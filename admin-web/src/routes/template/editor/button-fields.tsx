import { Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import { toDefinition } from "shared/core/template/draft";
import { urlSlotsOf } from "shared/core/template/slots";
import { buttonTypes, mayAdd } from "./button-list.ts";
import { ButtonRow } from "./button-row.tsx";
import { toInput } from "./to-input.ts";
import { addId, useButtonList } from "./use-button-list.ts";
import type { Draft } from "./use-draft.ts";

/** The buttons under a message: made, changed, moved and removed, all by keyboard too. */
export function ButtonFields({ draft }: { draft: Draft }) {
  const { buttons } = draft.values;
  const { news, add, update, move, remove } = useButtonList(draft);
  const slots = urlSlotsOf(toDefinition(toInput(draft.values, "given")));
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
