import type { Figure } from '../figure.js'

/** Shows figures that were measured on several engines, one column for each engine. */
export function besideTable(figures: readonly Figure[]): string {
  const engines = [...new Set(figures.map(({ engine }) => engine ?? ''))]
  const names = [...new Set(figures.map(({ name }) => name))]
  const rows = names.map((name) => [
    name,
    ...engines.map((engine) => shown(figures.find((f) => f.name === name && f.engine === engine))),
  ])
  const head = ['storage engines', ...engines]
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ')
  const details = names.flatMap((name) => [
    `  ${name}`,
    ...figures
      .filter((figure) => figure.name === name)
      .flatMap(({ engine = '', detail, invalid }) => [
        `    ${engine}: ${detail}`,
        ...(invalid === undefined ? [] : [`    INVALID: ${invalid}`]),
      ]),
  ])
  return [line(head), ...rows.map(line), '', ...details].join('\n')
}

function shown(figure: Figure | undefined): string {
  if (figure?.value === undefined) return 'none'
  const { value, unit, invalid } = figure
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}${invalid === undefined ? '' : ' !'}`
}
