import { Box, Group, Kbd, Stack, Switch } from "@mantine/core";
import { isAtLeast } from "shared/core/role";
import { t } from "../../language.ts";
import { useMe } from "../../session.tsx";
import { Dialog } from "../../ui/base/dialogs.tsx";
import { ticked } from "../../ui/base/fields.ts";
import { inColumns } from "../../ui/base/layout.tsx";
import { Dimmed } from "../../ui/base/page.tsx";
import { navigation } from "./navigation.ts";

interface ShortcutsProps {
  opened: boolean;
  isOn: boolean;
  setOn: (isOn: boolean) => void;
  onClose: () => void;
}

/** The list of keys that lead to pages. They can be switched off, since a voice or a slip may press them too. */
export function Shortcuts({ opened, isOn, setOn, onClose }: ShortcutsProps) {
  const { role } = useMe().user;
  const entries = navigation.flatMap(({ entries: group }) => group).filter(({ needed }) => isAtLeast(role, needed));
  return (
    <Dialog opened={opened} onClose={onClose} title={t("Keyboard shortcuts")} size="lg">
      <Stack>
        <Switch
          label={t("Shortcuts of single letters")}
          description={t("G with a letter, and the question mark. They do nothing while you type in a field.")}
          {...ticked(isOn, setOn)}
        />
        <Box component="dl" m={0} fz="sm" style={inColumns("14rem", "0.4rem var(--mantine-spacing-lg)")} aria-label={t("Shortcuts")}>
          {[...everywhere, ...entries.map(({ letter, label }): Shortcut => ({ keys: ["G", letter.toUpperCase()], does: label }))].map(
            ({ keys, does }) => (
              <Group key={does} gap="sm" wrap="nowrap" align="start">
                <Box component="dt" flex="0 0 4.5rem">
                  {keys.map((key, index) => (
                    <span key={key}>
                      {index > 0 && " "}
                      <Kbd size="xs">{key}</Kbd>
                    </span>
                  ))}
                </Box>
                <Box component="dd" m={0}>
                  {does}
                </Box>
              </Group>
            ),
          )}
        </Box>
        <Dimmed>
          {t("In lists J, K and the arrow keys move, Enter opens or does what a row has first, Space selects, / searches and Esc closes.")}
        </Dimmed>
      </Stack>
    </Dialog>
  );
}

type Shortcut = { keys: readonly string[]; does: string };

const everywhere: Shortcut[] = [
  { keys: [t("Ctrl"), "K"], does: t("Search, or go anywhere") },
  { keys: ["?"], does: t("This list") },
];
