/** One module per icon: the package's entry would make every build read all of them. */
declare module "@tabler/icons-react/dist/esm/icons/*" {
  import type { ComponentType, SVGProps } from "react";

  const icon: ComponentType<Omit<SVGProps<SVGSVGElement>, "stroke"> & { size?: number; stroke?: number }>;
  export default icon;
}

/** A copy of the library's entry in a chunk of its own, so that the entry that every page loads is free of code that only live views use. */
declare module "@trpc/client?live" {
  export { httpSubscriptionLink } from "@trpc/client";
}
