import type { Operation } from '../../../src/platform/api/operation.js'

type Shown = Pick<Operation<never>, 'summary' | 'method' | 'path' | 'aliases'>

/** Routes of an operation, as a cell of a Markdown table. */
export function routesCell({ path, aliases, method }: Omit<Shown, 'summary'>): string {
  return [path, ...aliases].map((each) => `\`${method.toUpperCase()} ${each}\``).join(', ')
}

/** A Markdown table of operations, in the order of declaration. */
export function operationsTable(operations: readonly Shown[]): string {
  const rows = operations.map((each) => `| ${routesCell(each)} | ${each.summary} |`)
  return ['| Route | What it does |', '|---|---|', ...rows].join('\n')
}
