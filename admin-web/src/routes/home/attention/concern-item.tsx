import { Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { paths } from "../../../paths.ts";
import { Moment } from "../../../ui/moment.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { Concern } from "./concerns.ts";
import classes from "./attention.module.css";

export function ConcernItem(concern: Concern) {
  return (
    <li className={classes["item"]}>
      <IconAlertTriangle size={18} className={classes["icon"]} aria-hidden />
      <div>
        <ConcernLink {...concern}>{concern.title}</ConcernLink>
        <Text size="sm" c="dimmed">
          {concern.kind === "site" ? <Silence {...concern.site} /> : concern.text}
        </Text>
      </div>
    </li>
  );
}

function ConcernLink({ kind, id, children }: Pick<Concern, "kind" | "id"> & { children: ReactNode }) {
  switch (kind) {
    case "site":
      return (
        <TextLink to={paths.site} params={{ siteId: id }}>
          {children}
        </TextLink>
      );
    case "template":
      return (
        <TextLink to={paths.template} params={{ templateId: id }}>
          {children}
        </TextLink>
      );
    case "binding":
      return (
        <TextLink to={paths.binding} params={{ bindingId: id }}>
          {children}
        </TextLink>
      );
  }
}

function Silence({ lastEventAt, longestPauseHours }: { lastEventAt: string; longestPauseHours: number }) {
  return (
    <>
      No event since <Moment at={lastEventAt} />, and in the week before its longest pause was{" "}
      {longestPauseHours === 1 ? "an hour" : `${longestPauseHours} hours`}. See whether its shop still posts, and with a good key.
    </>
  );
}
