/**
 * Rules of this project that no published plugin has, as an oxlint plugin.
 *
 * `house/no-select-star`: a statement names its columns. `select *` breaks prepared plans after a migration and lets a new secret column leave
 * the database unseen.
 * `house/no-barrel`: a file that only passes on what others export hides where things live; import the file itself.
 */
const star = /\b(?:select|returning)\b(?:(?!\bfrom\b)[^;])*?[\s,.]\*(?!\s*\/)(?=\s*(?:,|;|\)|$|\b(?:from|into)\b))/isu;

/** Whether an SQL text selects or returns every column. `count(*)` is not that. */
export const selectsStar = (text) => star.test(text.replace(/\bcount\s*\(\s*\*\s*\)/giu, "count(1)"));

const noSelectStar = {
  meta: { type: "problem" },
  create(context) {
    const check = (node, text) => {
      if (selectsStar(text)) {
        context.report({ node, message: "Name the columns: `select *` breaks prepared plans after a migration and can leak new columns." });
      }
    };
    return {
      // One text for the whole literal, so that an interpolation between `select` and `*` hides nothing.
      TemplateLiteral: (node) => check(node, node.quasis.map((quasi) => quasi.value.raw).join(" x ")),
      Literal: (node) => typeof node.value === "string" && check(node, node.value),
    };
  },
};

const isReExport = (statement) => statement.type === "ExportNamedDeclaration" && statement.source !== null;

const noBarrel = {
  meta: { type: "problem" },
  create: (context) => ({
    ExportAllDeclaration: (node) => context.report({ node, message: "Import the file that holds the thing, not one that passes it on." }),
    Program(node) {
      if (node.body.length > 0 && node.body.every(isReExport)) {
        context.report({ node: node.body[0], message: "A file that only passes on what others export: import those files." });
      }
    },
  }),
};

export default { meta: { name: "house" }, rules: { "no-select-star": noSelectStar, "no-barrel": noBarrel } };
