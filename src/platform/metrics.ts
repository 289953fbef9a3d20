/**
 * Reads every number in a value as a gauge: `{ media: { openFiles: 1 } }` under `lab` becomes
 * `lab_media_open_files`.
 */
export function gaugesOf(prefix: string, value: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
      const key = `${prefix}_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
      if (typeof each === 'number') return [[key, each]]
      return typeof each === 'object' && each !== null ? Object.entries(gaugesOf(key, each)) : []
    }),
  )
}
