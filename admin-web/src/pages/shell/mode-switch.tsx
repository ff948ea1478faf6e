import { Text, UnstyledButton } from "@mantine/core";
import IconFlask from "@tabler/icons-react/dist/esm/icons/IconFlask.mjs";
import { t } from "../../language.ts";
import { useSiteMode } from "../../ui/site-mode.ts";
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
      <Text size="sm" className={classes["name"] ?? ""}>
        {t("Test data")}
      </Text>
    </UnstyledButton>
  );
}

/** Says that test data is shown. */
export function TestDataBand() {
  const [mode] = useSiteMode();
  if (mode === "live") return null;
  return (
    <p className={classes["trial"]} role="status">
      <strong>{t("Test data")}</strong> {t("Lists and figures show test sites only.")}
    </p>
  );
}
