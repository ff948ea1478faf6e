/** One module per icon: the package's entry would make every build read all of them. */
declare module "@tabler/icons-react/dist/esm/icons/*" {
  import type { ComponentType, SVGProps } from "react";

  const icon: ComponentType<Omit<SVGProps<SVGSVGElement>, "stroke"> & { size?: number; stroke?: number }>;
  export default icon;
}
