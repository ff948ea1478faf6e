import { Timeline, type TimelineProps } from "@mantine/core";
import classes from "../base/ui.module.css";

/** A timeline with little space between its items. */
export const DenseTimeline = (props: TimelineProps) => <Timeline lineWidth={2} classNames={{ item: classes["item"] ?? "" }} {...props} />;
