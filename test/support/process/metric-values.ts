/** Reads the samples of a scrape by name, labels included, without `trunkline_` and `_total`. */
export function metricValues(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [name = '', value] = line.split(/ (?=[^ ]*$)/)
        return [name.replace('trunkline_', '').replace(/_total(?=\{|$)/, ''), Number(value)]
      }),
  )
}
