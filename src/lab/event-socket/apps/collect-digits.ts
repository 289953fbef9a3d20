import type { AppContext } from '../channel/application.js'
import { playFiles } from './play-files.js'

export interface ReadOptions {
  readonly min: number
  readonly max: number
  /** The wait for the first digit after the prompt, milliseconds. */
  readonly timeoutMs: number
  readonly digitTimeoutMs: number
  /** The terminators: `+#` keeps the terminator, `=#` demands one, `none` has none. */
  readonly terminators: string
  readonly prompt: string
  readonly variable: string
}

export type ReadStatus = 'success' | 'timeout' | 'too-small' | 'failed'

export interface ReadDigits {
  readonly status: ReadStatus
  readonly digits: string
}

/** The number of digits that the server's buffer holds. */
const MAX_DIGITS = 127

/** Plays the prompt until a digit comes, then collects; sets the variable and `read_result`. */
export async function readDigits(context: AppContext, options: ReadOptions): Promise<ReadDigits> {
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
 * Plays the prompt. Resolves with the digit that ended it, with an empty string, or with undefined
 * when it could not be played.
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

interface Collected extends ReadDigits {
  readonly terminator: string | undefined
}

/** Collects more digits until there are enough, a terminator comes, or nobody presses any. */
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
