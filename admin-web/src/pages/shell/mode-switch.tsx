import { Text, UnstyledButton } from "@mantine/core";
import IconFlask from "@tabler/icons-react/dist/esm/icons/IconFlask.mjs";
import { useLocation, useSearch } from "@tanstack/react-router";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { rich } from "../../ui/base/page.tsx";
import { useModeOf, useSiteMode } from "../../ui/base/site-mode.ts";
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

/** Says that test data is shown, where it is, and how there comes to be some. */
export function TestDataBand() {
  const { siteMode } = useModeOf<{ siteMode?: unknown }>(useSearch({ strict: false }));
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isShown = siteMode === "test" && narrowed.includes(path);
  const sites = trpc.sites.list.useQuery({ limit: 200 }, { enabled: isShown });
  if (!isShown) return null;
  const hasNone = sites.data?.items.every(({ mode }) => mode !== "test") === true;
  return (
    <Text role="status" mb="md" px={12} py={4} bdrs="var(--mantine-radius-default)" bg="var(--mantine-color-yellow-light)">
      <strong>{t("Test data")}</strong>{" "}
      {hasNone
        ? rich(
            t("There is no test site yet, so nothing is shown. <0>Add a site</0> whose messages go to the sandbox."),
            <TextLink to={paths.sites} search={{ create: true }} />,
          )
        : t("Lists and figures show test sites only.")}
    </Text>
  );
}
