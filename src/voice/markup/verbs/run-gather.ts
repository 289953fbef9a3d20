/**
 * Gather: collects digits from before the first prompt until enough were pressed or the timeout has passed
 * without one. The timeout starts after the prompts, and again with each digit. The first digit stops the
 * prompts.
 */

import { linkAbort } from '../../../platform/async/abort.js'
import { MediaTypeError } from '../../model/fetch-errors.js'
import type { GatherVerb, Prompt } from '../parse/gather.js'
import { logVerb } from './log-verb.js'
import { resolveUrl } from './resolve-url.js'
import { runPause } from './run-pause.js'
import { runPlay } from './run-play.js'
import { runSay } from './run-say.js'
import { CONTINUE, DocumentError, type VerbContext, type VerbOutcome } from './verb-run.js'
import { warnOfAction } from './warn-of-action.js'

interface DigitRules {
  /** The key that finishes the input; empty when no key does. */
  readonly finishOnKey: string
  readonly numDigits: number | undefined
}

interface CollectedDigits {
  /** The digits without the key that finished the input. */
  readonly digits: string
  /** The key that finished the input; empty when the number of digits or the timeout did. */
  readonly finishedOnKey: string
  readonly isComplete: boolean
}

const NO_DIGITS: CollectedDigits = { digits: '', finishedOnKey: '', isComplete: false }

/** Limit without numDigits, so that a stuck key ends the Gather. */
const MAX_DIGITS = 1000

class KeyPressed extends Error {
  override readonly name = 'KeyPressed'
}

export async function runGather(verb: GatherVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl, onProgress } = context
  warnOfAction('Gather', verb.action, context)
  if (verb.input !== 'dtmf')
    host.log({ type: 'warning', code: 13326, message: 'Gather: speech is not recognised' })
  const { digits, finishedOnKey } = await listen(verb, context)
  if (digits !== '' || finishedOnKey !== '') {
    onProgress()
    host.log({ type: 'digits', digits, finishedOnKey })
  }
  if (digits === '' && !verb.actionOnEmptyResult) return CONTINUE
  const params = { Digits: digits, FinishedOnKey: finishedOnKey, msg: 'Gather End' }
  const url = resolveUrl(verb.action, documentUrl)
  return { type: 'fetch', request: { url, method: verb.method, params } }
}

async function listen(verb: GatherVerb, context: VerbContext): Promise<CollectedDigits> {
  let collected = NO_DIGITS
  let onKey = (): void => undefined
  const unsubscribe = context.host.leg.digits.subscribe(({ digit }) => {
    if (verb.input === 'speech' || collected.isComplete) return
    collected = collectDigit(collected, digit, verb)
    onKey()
  })
  try {
    await interruptible(
      context.signal,
      (abort) => {
        if (verb.bargeIn) onKey = abort
      },
      (signal) => playPrompts(verb.prompts, { ...context, signal }),
    )
    let isTimedOut = false
    // The listener above changes this value while the Gather waits.
    const isComplete = (): boolean => collected.isComplete
    while (!isTimedOut && !isComplete())
      isTimedOut = await interruptible(
        context.signal,
        (abort) => {
          onKey = abort
        },
        (signal) => context.sleep(verb.timeoutMs, signal),
      )
    return collected
  } finally {
    unsubscribe()
  }
}

/** Adds a digit to the input of one Gather; digits after its end are dropped. */
function collectDigit(
  collected: CollectedDigits,
  digit: string,
  rules: DigitRules,
): CollectedDigits {
  if (collected.isComplete) return collected
  if (digit === rules.finishOnKey) return { ...collected, finishedOnKey: digit, isComplete: true }
  const digits = collected.digits + digit
  return { ...collected, digits, isComplete: digits.length >= (rules.numDigits ?? MAX_DIGITS) }
}

/**
 * Runs work that a key can interrupt. Resolves to true when the work finished, to false when a key
 * interrupted it. Rejects when `parent` aborts.
 */
async function interruptible(
  parent: AbortSignal,
  arm: (abort: () => void) => void,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  using link = linkAbort([parent])
  arm(() => {
    link.abort(new KeyPressed('a key was pressed'))
  })
  try {
    await work(link.signal)
    return true
  } catch (error) {
    if (parent.aborted || !link.signal.aborted) throw error
    return false
  }
}

async function playPrompts(prompts: readonly Prompt[], context: VerbContext): Promise<void> {
  for (const prompt of prompts) {
    context.signal.throwIfAborted()
    logVerb(prompt, context.host)
    await playPrompt(prompt, context)
  }
}

async function playPrompt(prompt: Prompt, context: VerbContext): Promise<void> {
  switch (prompt.type) {
    case 'say':
      return runSay(prompt, context)
    case 'pause':
      return runPause(prompt, context)
    case 'play':
      try {
        await runPlay(prompt, context)
      } catch (error) {
        if (!(error instanceof MediaTypeError)) throw error
        const { message, url } = error
        throw new DocumentError(13325, message, { url, cause: error })
      }
  }
}
