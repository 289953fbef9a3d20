/**
 * Checksums by which a table is compared with its copy: row count, sum of each integer column, and the sum of
 * one hash per row, which is independent of row order.
 */
import { hash } from 'node:crypto'
import type { CellKind } from './cell.js'

export interface TableSums {
  readonly rows: string
  /** Sum of each integer column, by name. */
  readonly integers: Readonly<Record<string, string>>
  readonly hashes: string
}

export interface SummedColumn {
  readonly name: string
  readonly kind: CellKind
}

const HASH_BITS = 64
const HASH_HEX_DIGITS = 16

/** Checksums rows one at a time; `sqlOfSums` does the same in the database. */
export class RowSums {
  readonly #columns: readonly SummedColumn[]
  readonly #integers: bigint[]
  #rows = 0n
  #hashes = 0n

  constructor(columns: readonly SummedColumn[]) {
    this.#columns = columns
    this.#integers = columns.map(() => 0n)
  }

  /** Adds a row; `cells` are the texts of its columns, in their order. */
  add(cells: readonly (string | null)[]): void {
    let row = ''
    for (const [at, cell] of cells.entries()) {
      row += cell === null ? '-' : `${Buffer.byteLength(cell)}:${cell}`
      if (cell !== null && this.#columns[at]?.kind === 'integer')
        this.#integers[at] = (this.#integers[at] ?? 0n) + BigInt(cell)
    }
    this.#rows += 1n
    const digest = hash('sha256', row).slice(0, HASH_HEX_DIGITS)
    this.#hashes += BigInt.asIntN(HASH_BITS, BigInt(`0x${digest}`))
  }

  get sums(): TableSums {
    const integers = this.#columns.flatMap(({ name, kind }, at) =>
      kind === 'integer' ? [[name, String(this.#integers[at] ?? 0n)] as const] : [],
    )
    return {
      rows: String(this.#rows),
      integers: Object.fromEntries(integers),
      hashes: String(this.#hashes),
    }
  }
}

/** Columns of the one row that `sqlOfSums` returns, for `sumsOf`. */
type SumsRow = Readonly<Record<string, string>>

/** Returns the PostgreSQL statement that checksums a table as `RowSums` does. */
export function sqlOfSums(table: string, columns: readonly SummedColumn[]): string {
  const texts = columns.map(textOf)
  const cells = texts.map((text) => `coalesce(octet_length(${text})::text || ':' || ${text}, '-')`)
  const digest = `encode(sha256(convert_to(${cells.join(' || ')}, 'UTF8')), 'hex')`
  const hashed = `('x' || left(${digest}, ${HASH_HEX_DIGITS}))::bit(${HASH_BITS})::bigint`
  const sums = columns.flatMap(({ name, kind }) =>
    kind === 'integer' ? [`, coalesce(sum("${name}"), 0)::text as "sum ${name}"`] : [],
  )
  return `select count(*)::text as "rows", coalesce(sum(${hashed}), 0)::text as "hashes"${sums.join('')} from "${table}"`
}

/** Returns the SQL of a cell's text, as `cellText` has it. */
function textOf({ name, kind }: SummedColumn): string {
  if (kind === 'bytes') return `encode("${name}", 'hex')`
  return kind === 'fraction' ? `encode(float8send("${name}"), 'hex')` : `"${name}"::text`
}

export function sumsOf(row: SumsRow): TableSums {
  const integers = Object.entries(row).flatMap(([name, sum]) =>
    name.startsWith('sum ') ? [[name.slice('sum '.length), sum] as const] : [],
  )
  return {
    rows: row['rows'] ?? '',
    integers: Object.fromEntries(integers),
    hashes: row['hashes'] ?? '',
  }
}

/** Describes the difference between the copy and the original; undefined when they are equal. */
export function differenceOf(original: TableSums, copy: TableSums): string | undefined {
  if (original.rows !== copy.rows) return `${original.rows} rows, but ${copy.rows} in the copy`
  for (const [name, sum] of Object.entries(original.integers))
    if (sum !== copy.integers[name])
      return `the sum of ${name} is ${sum}, but ${copy.integers[name] ?? 'absent'} in the copy`
  if (original.hashes !== copy.hashes) return 'the hash of the rows is another in the copy'
  return undefined
}
