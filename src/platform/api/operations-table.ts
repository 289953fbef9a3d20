import type { Operation } from './operation.js'

/** The routes of an operation as a cell of a Markdown table. */
export function routesCell<Caller>({ path, aliases, method }: Operation<Caller>): string {
  return [path, ...aliases].map((each) => `\`${method.toUpperCase()} ${each}\``).join(', ')
}
