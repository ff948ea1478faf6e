import { Timeline, type TimelineProps } from "@mantine/core";
import classes from "./dense-timeline.module.css";

/** A timeline whose items stand close together. */
export const DenseTimeline = (props: TimelineProps) => <Timeline lineWidth={2} classNames={{ item: classes["item"] ?? "" }} {...props} />;
