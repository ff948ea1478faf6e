import { Anchor, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { t } from "../../language.ts";

function CutText({ children: text, fits }: { children: string; fits: number }) {
  const [isWhole, { toggle }] = useDisclosure(false);
  return (
    <Group gap="xs" wrap={isWhole ? "wrap" : "nowrap"}>
      <Text fz={13} truncate={!isWhole} title={text}>
        {text}
      </Text>
      {text.length > fits && (
        <Anchor component="button" type="button" fz={13} flex="none" underline="never" aria-expanded={isWhole} onClick={toggle}>
          {isWhole ? t("less") : t("more")}
        </Anchor>
      )}
    </Group>
  );
}

/** One line of a row until somebody wants the rest. `fits`: the characters that it holds beside the button. */
export const cut = (text: string | null, fits: number) => text !== null && <CutText fits={fits}>{text}</CutText>;
