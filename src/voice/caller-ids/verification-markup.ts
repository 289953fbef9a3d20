/** The markup of a verification call. Pure. */

/** Maximum number of attempts to enter the code. */
export const MAX_ATTEMPTS = 3
export const CODE_DIGITS = 6

const TYPE_SECONDS = 10
const GREETING = 'Hello. This call verifies your phone number.'
const REQUEST = `Please enter the ${CODE_DIGITS} digits of the verification code.`
const WRONG = 'That is not the code.'
const FAILED = 'Your phone number is not verified.'
const VERIFIED = 'Your phone number is verified.'

/** Returns the markup that prompts for the code; `attempt` counts from 1. */
export function askForCode(attempt: number): string {
  const greeting = attempt === 1 ? GREETING : WRONG
  return response(
    `<Gather action="?attempt=${attempt}" numDigits="${CODE_DIGITS}" finishOnKey=""` +
      ` timeout="${TYPE_SECONDS}" actionOnEmptyResult="true">` +
      `<Say>${greeting} ${REQUEST}</Say></Gather>`,
  )
}

export function sayVerified(): string {
  return response(`<Say>${VERIFIED}</Say><Hangup/>`)
}

export function sayFailed(): string {
  return response(`<Say>${WRONG} ${FAILED}</Say><Hangup/>`)
}

/** Returns the markup for a call whose verification has ended meanwhile. */
export function hangUp(): string {
  return response('<Hangup/>')
}

function response(verbs: string): string {
  return `<Response>${verbs}</Response>`
}
