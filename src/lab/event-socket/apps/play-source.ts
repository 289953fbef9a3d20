import { basename, isAbsolute, join } from 'node:path'
import type { PlaySource } from '../../media/model/media-endpoint.js'

/** Something to play as a client names it, with the `{…}` before it. */
export interface NamedSource {
  /** The source's name in events. */
  readonly name: string
  readonly type: 'tone_stream' | undefined
  /** The pairs of `{name=value,…}` before the name, which come back in the events. */
  readonly params: readonly (readonly [string, string])[]
  /** Returns the source from a position on, in samples; undefined when nothing is left of it. */
  from(samples: number): PlaySource | undefined
}

const SAMPLES_PER_MS = 8

/** Reads a source; undefined for a kind that cannot be played. */
export function readPlaySource(
  text: string,
  soundPrefix: string | undefined,
): NamedSource | undefined {
  const { params, rest } = readParams(text)
  const base = { name: text, type: undefined, params }
  const scheme = /^([a-z_]+):\/\//.exec(rest)?.[1]
  const argument = scheme === undefined ? rest : rest.slice(scheme.length + 3)
  switch (scheme) {
    case undefined:
      return fileSource(base, rest, soundPrefix)
    case 'file':
      return fileSource(base, argument, soundPrefix)
    case 'silence_stream':
      return { ...base, from: (samples) => silenceFrom(argument, samples) }
    case 'tone_stream':
      return {
        ...base,
        type: 'tone_stream',
        // A tone has no position to go back to.
        from: () => ({ type: 'tone', script: argument }),
      }
    default:
      return undefined
  }
}

function fileSource(
  base: Omit<NamedSource, 'from'>,
  file: string,
  soundPrefix: string | undefined,
): NamedSource | undefined {
  if (file === '') return undefined
  const absolute = isAbsolute(file) ? file : join(soundPrefix ?? '/', file)
  const path = basename(absolute).includes('.') ? absolute : `${absolute}.wav`
  return { ...base, from: (samples) => ({ type: 'file', path, offsetSamples: samples }) }
}

/**
 * Reads the length of a silence: `500`, `500,1400` (the second is how loud the silence is) or `-1`.
 */
function silenceFrom(argument: string, samples: number): PlaySource | undefined {
  const durationMs = Number.parseInt(argument, 10)
  if (Number.isNaN(durationMs)) return undefined
  if (durationMs <= 0) return { type: 'silence', durationMs: -1 }
  const leftMs = durationMs - samples / SAMPLES_PER_MS
  return leftMs <= 0 ? undefined : { type: 'silence', durationMs: leftMs }
}

function readParams(text: string): { params: [string, string][]; rest: string } {
  const params: [string, string][] = []
  let rest = text
  for (
    let match = /^\{([^}]*)\}\s*/.exec(rest);
    match !== null;
    match = /^\{([^}]*)\}\s*/.exec(rest)
  ) {
    rest = rest.slice(match[0].length)
    for (const pair of (match[1] ?? '').split(',')) {
      const equals = pair.indexOf('=')
      if (equals > 0) params.push([pair.slice(0, equals), pair.slice(equals + 1)])
    }
  }
  return { params, rest }
}
