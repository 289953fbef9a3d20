import type { XmlElement } from './xml.js'

const BREAK_MS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['x-weak', 0],
  ['weak', 250],
  ['medium', 400],
  ['strong', 600],
  ['x-strong', 1000],
])
const USUAL_MS = 400
const MAX_BREAK_MS = 10_000

/** Returns the length of an SSML break, ms: its time, else that of its strength. */
export function breakMs(attributes: XmlElement['attributes']): number {
  const time = timeMs(attributes.get('time') ?? '')
  if (time !== undefined) return Math.min(MAX_BREAK_MS, time)
  return strengthMs(attributes.get('strength') ?? 'medium') ?? USUAL_MS
}

/** Parses the time of a break into ms; undefined when it is invalid. */
export function timeMs(value: string): number | undefined {
  const time = /^([0-9]{1,6}(?:\.[0-9]+)?)(ms|s)$/.exec(value.trim())
  return time === null ? undefined : Math.round(Number(time[1]) * (time[2] === 's' ? 1000 : 1))
}

export function strengthMs(value: string): number | undefined {
  return BREAK_MS.get(value)
}
