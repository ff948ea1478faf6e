import { Text, UnstyledButton } from "@mantine/core";
import IconFlask from "@tabler/icons-react/dist/esm/icons/IconFlask.mjs";
import { useLocation, useSearch } from "@tanstack/react-router";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useModeOf, useSiteMode } from "../../ui/site-mode.ts";
import classes from "./shell.module.css";

/** Changes between live and test data, for everybody by themselves. */
export function ModeSwitch() {
  const [mode, choose] = useSiteMode();
  return (
    <UnstyledButton
      role="switch"
      aria-checked={mode === "test"}
      aria-label={t("Test data")}
      title={t("Test data")}
      className={classes["target"]}
      onClick={() => choose(mode === "test" ? "live" : "test")}
    >
      <IconFlask size={20} aria-hidden />
      <Text className={classes["name"] ?? ""}>{t("Test data")}</Text>
    </UnstyledButton>
  );
}

/** The pages that the choice narrows. */
const narrowed: readonly string[] = [paths.home, paths.log, paths.scheduled, paths.events, paths.statistics];

/** Says that test data is shown, where it is. */
export function TestDataBand() {
  const { siteMode } = useModeOf<{ siteMode?: unknown }>(useSearch({ strict: false }));
  const path = useLocation({ select: ({ pathname }) => pathname });
  if (siteMode !== "test" || !narrowed.includes(path)) return null;
  return (
    <Text role="status" mb="md" px={12} py={4} bdrs="var(--mantine-radius-default)" bg="var(--mantine-color-yellow-light)">
      <strong>{t("Test data")}</strong> {t("Lists and figures show test sites only.")}
    </Text>
  );
}
