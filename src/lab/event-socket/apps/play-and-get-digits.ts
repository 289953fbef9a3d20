import type { AppContext, Application } from '../channel/application.js'
import { separate } from '../protocol/separate.js'
import { playFiles } from './play-files.js'

interface DigitsRequest extends ReadOptions {
  readonly tries: number
  readonly invalidPrompt: string
  readonly pattern: RegExp | undefined
}

interface ReadOptions {
  readonly min: number
  readonly max: number
  /** The wait for the first digit after the prompt, ms. */
  readonly timeoutMs: number
  readonly digitTimeoutMs: number
  /** The terminator digits: `+#` keeps the terminator in the result, `=#` requires one, `none` means none. */
  readonly terminators: string
  readonly prompt: string
  readonly variable: string
}

type ReadStatus = 'success' | 'timeout' | 'too-small' | 'failed'

interface ReadDigits {
  readonly status: ReadStatus
  readonly digits: string
}

/** Maximum number of digits that FreeSWITCH's buffer holds. */
const MAX_DIGITS = 127

interface Collected extends ReadDigits {
  readonly terminator: string | undefined
}

/**
 * `play_and_get_digits min max tries timeout terminators file invalid_file variable regexp digit_timeout`.
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

/** Plays the prompt until a digit arrives, then collects digits; sets the variable and `read_result`. */
async function readDigits(context: AppContext, options: ReadOptions): Promise<ReadDigits> {
  const { variables } = context.channel
  variables.set('read_result', undefined)
  if (options.variable !== '') variables.set(options.variable, undefined)
  const read = await promptAndCollect(context, options)
  const isLoneTerminator =
    options.max === 1 && read.digits.length === 1 && options.terminators.includes(read.digits)
  const digits = isLoneTerminator ? '' : read.digits
  if (options.variable !== '' && digits !== '') variables.set(options.variable, digits)
  return { status: read.status, digits }
}

async function promptAndCollect(context: AppContext, options: ReadOptions): Promise<ReadDigits> {
  const { variables } = context.channel
  const first = await playPrompt(context, options.prompt)
  if (first === undefined) return { status: 'failed', digits: '' }
  const collected = await collect(context, options, first)
  let { status, digits } = collected
  if (collected.terminator === undefined) {
    if (options.terminators.startsWith('=')) status = 'too-small'
  } else {
    variables.set('read_terminator_used', collected.terminator)
    const at = options.terminators.indexOf(collected.terminator)
    if (at > 0 && options.terminators[at - 1] === '+') digits += collected.terminator
  }
  if (digits.length < options.min) status = 'too-small'
  variables.set('read_result', status === 'too-small' || status === 'failed' ? 'failure' : status)
  return { status, digits }
}

/**
 * Plays the prompt. Resolves with the digit that interrupted it, with '' when it played to its end, or with
 * undefined when it failed.
 */
async function playPrompt(context: AppContext, prompt: string): Promise<string | undefined> {
  if (prompt === '' || prompt.toLowerCase() === 'silence') return ''
  let first = ''
  const result = await playFiles(context, prompt, {
    onDigit: ({ digit }) => {
      first = digit
      return true
    },
  })
  const isPlayed = result === 'done' || result === 'break'
  return isPlayed && context.frame.ended === undefined ? first : undefined
}

/** Collects digits until the maximum is reached, a terminator arrives, or a timeout expires. */
async function collect(
  { frame }: AppContext,
  options: ReadOptions,
  first: string,
): Promise<Collected> {
  const { max, terminators, timeoutMs, digitTimeoutMs } = options
  let digits = first
  if (digits.length >= Math.min(max, MAX_DIGITS))
    return { status: 'success', digits, terminator: undefined }
  if (digits !== '' && terminators.includes(digits))
    return { status: 'success', digits: '', terminator: digits }
  const outcome = await new Promise<{ status: ReadStatus; terminator?: string }>((resolve) => {
    const expire = (): void => {
      end({ status: 'timeout' })
    }
    let timer = setTimeout(expire, digits === '' ? timeoutMs : digitTimeoutMs)
    const end = (result: { status: ReadStatus; terminator?: string }): void => {
      clearTimeout(timer)
      frame.takeDigits(undefined)
      resolve(result)
    }
    const forget = frame.onInterrupt((why) => {
      if (why === 'break') return
      forget()
      end({ status: 'failed' })
    })
    frame.takeDigits({
      take({ digit }) {
        clearTimeout(timer)
        if (terminators.includes(digit)) {
          end({ status: 'success', terminator: digit })
          return
        }
        digits += digit
        if (digits.length >= Math.min(max, MAX_DIGITS)) end({ status: 'success' })
        else timer = setTimeout(expire, digitTimeoutMs)
      },
    })
  })
  return { status: outcome.status, digits, terminator: outcome.terminator }
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
