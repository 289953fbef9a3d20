import type { AppContext, Application } from '../channel/application.js'
import { separate } from '../protocol/separate.js'
import { type ReadDigits, type ReadOptions, readDigits } from './collect-digits.js'
import { playFiles } from './play-files.js'

interface DigitsRequest extends ReadOptions {
  readonly tries: number
  readonly invalidPrompt: string
  readonly pattern: RegExp | undefined
}

/**
 * `play_and_get_digits min max tries timeout terminators file invalid_file variable regexp
 * digit_timeout`.
 */
export const playAndGetDigits: Application = {
  isPollable: true,
  holdsAudio: true,
  async run(context) {
    const request = readRequest(context)
    const { variables } = context.channel
    if (request.pattern !== undefined) variables.set(`${request.variable}_invalid`, undefined)
    for (let tries = request.tries; tries > 0 && !context.channel.isDown; tries--) {
      const read = await readDigits(context, request)
      if (isAccepted(context, request, read) || context.frame.ended !== undefined) return
      await playFiles(context, request.invalidPrompt)
    }
  },
}

/** `read min max file variable timeout terminators digit_timeout`. */
export const read: Application = {
  isPollable: true,
  holdsAudio: true,
  async run(context) {
    const [min = '0', max = '128', prompt = '', variable = '', timeout = '1000', ...rest] =
      separate(context.arg, ' ')
    const timeoutMs = Math.max(1_000, number(timeout))
    const read = await readDigits(context, {
      min: number(min),
      max: Math.max(number(min), number(max)),
      prompt,
      variable,
      timeoutMs,
      terminators: rest[0] ?? '#',
      digitTimeoutMs: number(rest[1] ?? '0') || timeoutMs,
    })
    if (variable !== '') context.channel.variables.set(variable, read.digits)
  },
}

function isAccepted(
  { channel }: AppContext,
  { min, variable, pattern }: DigitsRequest,
  { status, digits }: ReadDigits,
): boolean {
  const isComplete = status === 'success' || (status === 'timeout' && digits.length >= min)
  if (min === 0 && digits === '' && channel.variables.get('read_terminator_used') !== undefined)
    return true
  if (!isComplete || digits === '') return false
  if (pattern === undefined || pattern.test(digits)) return true
  channel.variables.set(variable, undefined)
  channel.variables.set(`${variable}_invalid`, digits)
  return false
}

function readRequest({ arg, channel, log }: AppContext): DigitsRequest {
  const parts = separate(arg, ' ')
  const [min = '0', max = '0', tries = '0', timeout = '1000', terminators = '#', ...rest] = parts
  const [prompt = '', invalidPrompt = '', variable = '', regexp, digitTimeout = '0'] = rest
  const timeoutMs = Math.max(1_000, number(timeout))
  const minimum = Math.max(0, number(min))
  return {
    min: minimum,
    max: Math.max(minimum, number(max)),
    tries: number(tries),
    timeoutMs,
    digitTimeoutMs: number(digitTimeout) || timeoutMs,
    terminators,
    prompt,
    invalidPrompt,
    variable,
    pattern: regexp === undefined ? undefined : readPattern(regexp),
  }

  function readPattern(source: string): RegExp {
    try {
      return new RegExp(source)
    } catch (err) {
      log.error({ err, source, channel: channel.uuid }, 'digits cannot match a bad expression')
      return /(?!)/
    }
  }
}

function number(text: string): number {
  return Number.parseInt(text, 10) || 0
}
