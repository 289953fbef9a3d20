/** Runs all checks, one after the other; a check that fails keeps no other from running. */

import { ConfigError, readConfig } from '../../../config.js'
import { isLoopback } from '../../../platform/cidr.js'
import type { CommonFlags, Context } from '../context.js'
import { sipListener, voiceUrl } from '../servers/target.js'
import { FailedError, UsageError } from '../surroundings.js'
import { checkCertificate } from './check-certificate.js'
import { checkMachine } from './check-machine.js'
import { checkPorts } from './check-ports.js'
import { checkServer } from './check-server.js'
import { checkSettings } from './check-settings.js'
import { checkTelephony } from './check-telephony.js'
import { checkTrunks } from './check-trunks.js'
import { checkWebhook } from './check-webhook.js'
import { type Facts, readinessOf } from './facts.js'
import { type Finding, fail, findingLines } from './finding.js'
import { askTrunks } from './trunks.js'

export interface DoctorFlags extends CommonFlags {
  readonly webhook?: readonly string[]
}

type Check = (facts: Facts) => readonly Finding[] | Promise<readonly Finding[]>

/** Rejects with a `FailedError` when a finding is `fail`. */
export async function runDoctor(context: Context<DoctorFlags>): Promise<void> {
  const { print, isJson, isColoured } = context
  const levels = new Set<Finding['level']>()
  for await (const finding of allFindings(context)) {
    levels.add(finding.level)
    if (isJson) print(JSON.stringify(finding))
    else for (const line of findingLines(finding, isColoured)) print(line)
  }
  if (levels.has('fail')) throw new FailedError('')
}

async function* allFindings(context: Context<DoctorFlags>): AsyncGenerator<Finding> {
  const facts = await factsOf(context)
  if ('problems' in facts) {
    yield* facts.problems
    return
  }
  for (const [subject, check] of checksFor(facts, context.flags.webhook ?? []))
    yield* await findingsOf(subject, check, facts)
}

async function factsOf({ env, flags }: Context<DoctorFlags>) {
  try {
    const set = readConfig(env)
    const url = voiceUrl(flags, env)
    const readiness = await readinessOf(url)
    const config =
      readiness === undefined ? set : { ...set, sip: { ...set.sip, ...sipListener(set, env) } }
    const trunks = readiness === undefined ? undefined : await askTrunks(flags, env)
    return { config, env, flags, url, readiness, trunks }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = error.message.split('\n')
    const problems = lines.map((line) =>
      fail('settings', line, 'the table of settings in the README says what it may be'),
    )
    return { problems }
  }
}

/** The checks to run. Folders and ports are checked only on the machine of the server. */
function checksFor(facts: Facts, webhooks: readonly string[]): readonly [string, Check][] {
  const isHere = facts.flags.url === undefined || isLoopback(new URL(facts.url).hostname)
  const here: [string, Check][] = [
    ['settings', checkSettings],
    ['machine', checkMachine],
    ['ports', checkPorts],
    ['certificate', checkCertificate],
    ['telephony', checkTelephony],
  ]
  return [
    ...(isHere ? here : []),
    ['server', checkServer],
    ['carriers', checkTrunks],
    ...webhooks.map((url): [string, Check] => ['webhook', (known) => checkWebhook(url, known)]),
  ]
}

async function findingsOf(
  subject: string,
  check: Check,
  facts: Facts,
): Promise<readonly Finding[]> {
  try {
    return await check(facts)
  } catch (error) {
    if (error instanceof UsageError) return [fail(subject, 'not checked', error.message)]
    const reason = error instanceof Error ? error.message : String(error)
    return [fail(subject, `not checked: ${reason}`, 'this is a fault of the doctor; report it')]
  }
}
