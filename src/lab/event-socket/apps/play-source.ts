import { basename, isAbsolute, join } from 'node:path'
import type { PlaySource } from '../../media/model/media-endpoint.js'

/** A source to play, as a client writes it, with optional `{…}` parameters. */
export interface NamedSource {
  /** The name by which events report the source. */
  readonly name: string
  readonly type: 'tone_stream' | undefined
  /** The pairs of `{name=value,…}` before the name; playback events repeat them. */
  readonly params: readonly (readonly [string, string])[]
  /** Returns the source from an offset in samples; undefined when the offset is past its end. */
  from(samples: number): PlaySource | undefined
}

const SAMPLES_PER_MS = 8

/** Parses a source. Returns undefined for an unsupported kind. */
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
        // A tone has no position: it restarts from the beginning.
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
 * Parses a silence: `500` ms, `500,1400` (the second number is a noise level, ignored) or `-1` for no limit.
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
