/** One line of the result. `value` is as measured; text around it is for people. */
export interface Figure {
  readonly name: string
  readonly value: number | undefined
  readonly unit: string
  /** The design's target, in the same unit. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
  /** The best that this machine could do, measured in the same run where the text says so. */
  readonly limit?: string
  /** The circumstances: load, losses, the spread of the runs. */
  readonly detail: string
  /** The reason why the run proves nothing; a figure that has one is not to be quoted. */
  readonly invalid?: string | undefined
  /** The storage engine that the figure is of, where the same is measured on each. */
  readonly engine?: string
}

/** The share of a core above which a load generator is itself the bottleneck. */
export const MAX_GENERATOR_CORE = 0.7

export function generatorProblem(name: string, cores: number): string | undefined {
  return cores > MAX_GENERATOR_CORE
    ? `${name} used ${percent(cores)} of a core (limit ${percent(MAX_GENERATOR_CORE)})`
    : undefined
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value, figure.unit),
    targetOf(figure),
    figure.limit ?? '',
    verdict(figure),
  ])
  const [head, ...lines] = aligned([['figure', 'measured', 'target', 'limit', ''], ...rows])
  const body = figures.flatMap(({ detail, invalid }, index) => [
    lines[index],
    `  ${detail}`,
    ...(invalid === undefined ? [] : [`  INVALID: ${invalid}`]),
  ])
  return [head, ...body].join('\n')
}

/** Shows figures that were measured on several engines, one column for each engine. */
export function besideTable(figures: readonly Figure[]): string {
  const engines = [...new Set(figures.map(({ engine }) => engine ?? ''))]
  const names = [...new Set(figures.map(({ name }) => name))]
  const rows = names.map((name) => [
    name,
    ...engines.map((engine) => {
      const figure = figures.find((each) => each.name === name && each.engine === engine)
      const mark = figure?.invalid === undefined ? '' : ' !'
      return `${shown(figure?.value, figure?.unit ?? '')}${mark}`
    }),
  ])
  const details = names.flatMap((name) => [
    `  ${name}`,
    ...figures
      .filter((figure) => figure.name === name)
      .flatMap(({ engine = '', detail, invalid }) => [
        `    ${engine}: ${detail}`,
        ...(invalid === undefined ? [] : [`    INVALID: ${invalid}`]),
      ]),
  ])
  return [...aligned([['storage engines', ...engines], ...rows]), '', ...details].join('\n')
}

/** Pads each column to its widest cell. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function shown(value: number | undefined, unit: string): string {
  if (value === undefined) return 'none'
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0
  return `${value.toFixed(digits)} ${unit}`.trim()
}

function targetOf({ target, unit }: Figure): string {
  if (target === undefined) return ''
  return 'atLeast' in target
    ? `≥ ${target.atLeast} ${unit}`.trim()
    : `≤ ${target.atMost} ${unit}`.trim()
}

function verdict({ target, value, invalid }: Figure): string {
  if (invalid !== undefined) return 'invalid'
  if (target === undefined || value === undefined) return ''
  const isReached = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
  return isReached ? 'reached' : 'not reached'
}
