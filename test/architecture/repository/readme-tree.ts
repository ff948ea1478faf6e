/** Folders of the tree in a README: the fenced block under the heading `## The tree`, one folder a line, deeper ones indented by two. */
export function foldersInTree(readme: string): string[] {
  const block = /^## The tree\n[^]*?```(?:text)?\n([^]*?)```/mu.exec(readme)?.[1] ?? "";
  const trail: string[] = [];
  return block
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      trail.length = depth;
      trail[depth] = line.trim().split(/\s+/u)[0]?.replace(/\/$/u, "") ?? "";
      return trail.join("/");
    });
}
