/** The words that the stack's commands give to docker. */

export interface StackFlags {
  readonly production?: boolean
  readonly postgres?: boolean
  readonly store?: boolean
  readonly monitoring?: boolean
}

/** The number that the SIPp phone of the stack has, and the one that calls it. */
const CALLEE = 'sip:callee@172.28.0.21:5060'
const CALLER = '+15005550000'
/** The phone that calls in, and the number that it calls. */
const CALLING = '172.28.0.22'
const CALLED = '+15005550100'
const ECHO = 'http://172.28.0.20:3000/'

/** The words behind `docker` for one command of compose. */
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

/** The commands of compose that place a call: the container has trunkline's own command line. */
export function callSteps(): readonly (readonly string[])[] {
  return [[...COMMAND, 'call', CALLEE, '--from', CALLER, '--voice-url', ECHO]]
}

/** The commands of compose by which a SIPp phone calls in: as a carrier, to a number that echoes. */
export function inboundCallSteps(): readonly (readonly string[])[] {
  return [
    [
      ...[...COMMAND, 'carriers', 'put', 'sipp-caller', '--host', CALLING],
      // Its prefix keeps the calls to all other numbers from it.
      ...['--address', `${CALLING}/32`, '--prefix', CALLED],
    ],
    [...COMMAND, 'numbers', 'assign', CALLED, '--voice-url', ECHO],
    ['run', '--rm', '--build', 'sipp-caller'],
  ]
}
