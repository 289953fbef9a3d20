/**
 * Pause: waits in silence.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | length | whole number of seconds from 1 | 1 | 13910 |
 */
import { readAttributes } from './attributes.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface PauseVerb {
  readonly type: 'pause'
  readonly element: XmlElement
  readonly durationMs: number
}

/** Maximum time in seconds. No call lasts longer, and a timer above 2^31 ms would fire at once. */
const MAX_SECONDS = 86_400

export function parsePause(element: XmlElement, warn: Warn): PauseVerb {
  const read = readAttributes(element, warn)
  const range = { min: 1, max: MAX_SECONDS }
  const seconds = read.integer('length', range, { otherwise: 1, code: 13910 })
  return { type: 'pause', element, durationMs: seconds * 1000 }
}
