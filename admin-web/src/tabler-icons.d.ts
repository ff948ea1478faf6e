/** One icon a module: the package's entry would make every build read all six thousand. */
declare module "@tabler/icons-react/dist/esm/icons/*" {
  import type { ComponentType, SVGProps } from "react";

  const icon: ComponentType<Omit<SVGProps<SVGSVGElement>, "stroke"> & { size?: number; stroke?: number }>;
  export default icon;
}
