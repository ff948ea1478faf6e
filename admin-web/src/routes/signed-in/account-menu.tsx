import { Avatar, type MantineColorScheme, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMe } from "../../session/me.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { useSignOut } from "./use-sign-out.ts";
import classes from "./account-menu.module.css";

/** Who is signed in, and what they can do about themselves. */
export function AccountMenu() {
  const { user } = useMe();
  const { signOut, isPending, error } = useSignOut();
  return (
    <>
      {error !== null && (
        <div className={classes["failure"]}>
          <FailureNotice title="You are still signed in" error={error} onRetry={signOut} />
        </div>
      )}
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <UnstyledButton className={classes["target"]} aria-label={`${user.name}: your menu`}>
            <Avatar name={user.name} size="sm" color="teal" alt="" aria-hidden />
            <Text size="sm" className={classes["name"] ?? ""} truncate>
              {user.name}
            </Text>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {user.email}, {user.role}
          </Menu.Label>
          <Menu.Item component={Link} to={paths.myAccount}>
            Password and sessions
          </Menu.Item>
          <Menu.Divider />
          <ColorSchemes />
          <Menu.Divider />
          <Menu.Item disabled={isPending} onClick={signOut}>
            Sign out
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
      <Menu.RadioItem value="auto">Colours of the device</Menu.RadioItem>
      <Menu.RadioItem value="light">Light</Menu.RadioItem>
      <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
    </Menu.RadioGroup>
  );
}
