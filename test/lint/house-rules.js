/**
 * Rules of this project that no published plugin has, as an oxlint plugin.
 *
 * `house/no-select-star`: a statement names its columns. `select *` breaks prepared plans after a migration and lets a new secret column leave
 * the database unseen.
 * `house/no-partition`: a statement names a table and never a week of it, which another program may drop meanwhile; PostgreSQL finds the week by the ids.
 * `house/no-barrel`: a file that only passes on what others export hides where things live; import the file itself.
 * `house/no-late-await`: a promise that is refused while a test awaits something else is an unhandled rejection, which fails the whole run.
 * `house/no-polled-list`: an infinite query that looks again by itself asks for every loaded page each time; `useLiveList` asks for the newest one.
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

const partition = /\b(?:event|event_payload|event_search|notification)_(?:default\b|\d{4}w\d{2}\b)|\bpg_(?:inherits|partition_\w+)\b/u;

const noPartition = {
  meta: { type: "problem" },
  create(context) {
    const check = (node, text) => {
      if (partition.test(text))
        context.report({ node, message: "Name the table, with bounds of the ids: weeks come and go while a statement runs." });
    };
    return {
      TemplateElement: (node) => check(node, node.value.raw),
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

/** Whether a text says that the work of this name may be refused. */
const mayRefuse = (name, text) =>
  new RegExp(`\\ballSettled\\((?:\\[[^\\]]*)?\\b${name}\\b|\\bexpect\\(${name}\\)\\.rejects\\b|\\b${name}\\.catch\\(`, "u").test(text);

const startsWork = ({ init }) => init?.type === "CallExpression" || init?.type === "ArrayExpression";

const noLateAwait = {
  meta: { type: "problem" },
  create: (context) => ({
    BlockStatement: ({ body }) =>
      body.forEach((statement, i) => {
        const name = statement.declarations?.find(startsWork)?.id.name;
        const after = body.slice(i + 1).map((each) => context.sourceCode.getText(each));
        if (name === undefined || !after.some((text) => mayRefuse(name, text))) return;
        const use = after.findIndex((text) => new RegExp(`\\b${name}\\b`, "u").test(text));
        if (after.slice(0, use).some((text) => /\bawait\b/u.test(text)))
          context.report({
            node: statement,
            message: "Nobody hears a refusal until this is awaited: give it to Promise.allSettled where it starts.",
          });
      }),
  }),
};

const nameOf = ({ type, name, property }) => (type === "MemberExpression" ? property.name : name);

const noPolledList = {
  meta: { type: "problem" },
  create: (context) => ({
    CallExpression(node) {
      if (nameOf(node.callee) !== "useInfiniteQuery") return;
      const options = node.arguments.flatMap((argument) => (argument.type === "ObjectExpression" ? argument.properties : []));
      const interval = options.find(({ key }) => key?.name === "refetchInterval");
      if (interval !== undefined)
        context.report({
          node: interval,
          message: "This asks for every loaded page each time: use `useLiveList`, which asks for the newest one.",
        });
    },
  }),
};

export default {
  meta: { name: "house" },
  rules: {
    "no-select-star": noSelectStar,
    "no-partition": noPartition,
    "no-barrel": noBarrel,
    "no-late-await": noLateAwait,
    "no-polled-list": noPolledList,
  },
};
