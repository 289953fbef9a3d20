/** The words that the stack's commands give to docker. */

export interface StackFlags {
  readonly production?: boolean
  readonly postgres?: boolean
}

/** The number that the SIPp phone of the stack has, and the one that calls it. */
const CALLEE = 'sip:callee@172.28.0.21:5060'
const CALLER = '+15005550000'
const ECHO = 'http://172.28.0.20:3000/'

/** The words behind `docker` for one command of compose. */
export function composeArguments(
  { production = false, postgres = false }: StackFlags,
  words: readonly string[],
): readonly string[] {
  return [
    'compose',
    ...['--env-file', 'docker/.env', '--file', 'docker/compose.yaml'],
    ...(production ? ['--file', 'docker/compose.production.yaml'] : ['--profile', 'phones']),
    ...(postgres ? ['--profile', 'postgres'] : []),
    ...words,
  ]
}

/** The commands of compose that place a call: the container has trunkline's own command line. */
export function callSteps(): readonly (readonly string[])[] {
  const trunkline = ['exec', 'trunkline', 'node', 'dist/cli/trunkline.js']
  return [[...trunkline, 'call', CALLEE, '--from', CALLER, '--voice-url', ECHO]]
}
