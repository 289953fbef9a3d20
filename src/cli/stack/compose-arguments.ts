/** Docker arguments of the stack's commands. */

export interface StackFlags {
  readonly production?: boolean
  readonly postgres?: boolean
  readonly store?: boolean
  readonly monitoring?: boolean
}

/** SIP address of the stack's SIPp phone, and the caller's number. */
const CALLEE = 'sip:callee@172.28.0.21:5060'
const CALLER = '+15005550000'
/** Address of the calling phone, and the number it calls. */
const CALLING = '172.28.0.22'
const CALLED = '+15005550100'
const ECHO = 'http://172.28.0.20:3000/'

/** Arguments of `docker` for one command of compose. */
export function composeArguments(
  { production = false, postgres = false, store = false, monitoring = false }: StackFlags,
  words: readonly string[],
): readonly string[] {
  return [
    'compose',
    ...['--env-file', 'docker/.env', '--file', 'docker/compose.yaml'],
    ...(production ? ['--file', 'docker/compose.production.yaml'] : ['--profile', 'phones']),
    ...(postgres ? ['--profile', 'postgres'] : []),
    ...(store ? ['--profile', 'store'] : []),
    ...(monitoring ? ['--profile', 'monitoring'] : []),
    ...words,
  ]
}

const COMMAND = ['exec', 'trunkline', 'node', 'dist/cli/trunkline.js']

/** Compose commands that place a call with trunkline's own command line, inside the container. */
export function callSteps(): readonly (readonly string[])[] {
  return [[...COMMAND, 'call', CALLEE, '--from', CALLER, '--voice-url', ECHO]]
}

/** Compose commands that make a SIPp phone call in as a carrier, to a number that echoes. */
export function inboundCallSteps(): readonly (readonly string[])[] {
  return [
    [
      ...[...COMMAND, 'carriers', 'put', 'sipp-caller', '--host', CALLING],
      // The prefix limits outbound calls through this carrier to the one number.
      ...['--address', `${CALLING}/32`, '--prefix', CALLED],
    ],
    [...COMMAND, 'numbers', 'assign', CALLED, '--voice-url', ECHO],
    ['run', '--rm', '--build', 'sipp-caller'],
  ]
}
