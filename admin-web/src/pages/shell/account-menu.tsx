import { Avatar, Box, type MantineColorScheme, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { later } from "../../ui/base/later.tsx";
import { FailureNotice } from "../../ui/base/page.tsx";
import { useSignOut } from "./navigation.ts";
import classes from "./shell.module.css";

const AccountChoice = later(async () => (await import("./account-choice.tsx")).AccountChoice);

/** The avatar, and behind it what is of the person. */
export function AccountMenu() {
  const { user, accounts } = useMe();
  const hasChoice = accounts.length > 1;
  const { signOut, isPending, error } = useSignOut();
  return (
    <>
      {error !== null && (
        <Box pos="fixed" top="4rem" maw="calc(100vw - 2rem)" style={{ insetInlineEnd: "var(--mantine-spacing-md)" }}>
          <FailureNotice title={t("You are still signed in")} error={error} onRetry={signOut} />
        </Box>
      )}
      <Menu position="bottom-end" width={240} keepMounted={hasChoice}>
        <Menu.Target>
          <UnstyledButton className={classes["target"]} aria-label={t("{name}: your menu", { name: user.name })}>
            <Avatar name={user.name} size="sm" color="teal" alt="" aria-hidden />
            <Text className={classes["name"] ?? ""} truncate>
              {user.name}
            </Text>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <bdi>{user.email}</bdi>, {translated(user.role)}
          </Menu.Label>
          {hasChoice && <AccountChoice />}
          <Menu.Item component={Link} to={paths.myAccount}>
            {t("My account")}
          </Menu.Item>
          <Menu.Divider />
          <ColorSchemes />
          <Menu.Divider />
          <Menu.Item disabled={isPending} onClick={signOut}>
            {t("Sign out")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function ColorSchemes() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
      <Menu.RadioItem value="auto">{t("Same as device")}</Menu.RadioItem>
      <Menu.RadioItem value="light">{t("Light")}</Menu.RadioItem>
      <Menu.RadioItem value="dark">{t("Dark")}</Menu.RadioItem>
    </Menu.RadioGroup>
  );
}
