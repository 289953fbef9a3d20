/** Checks the carriers and gateways: their DNS, an OPTIONS, the Contact that they see, and credentials. */
import { isInRanges, isLoopback, PRIVATE_NETWORKS } from '../../../platform/cidr.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'
import type { Trunk, TrunkServer } from './trunks.js'

const CONTACT =
  'set SIP_HOST to the address by which it reaches this machine; beside drachtio give drachtio --contact with that address, and behind a NAT --external-ip: docs/real-servers.md'
const SILENT =
  'compare host, port and transport with what it says, and let firewalls pass SIP both ways; a carrier may answer only addresses that it knows'
const CHALLENGES = [401, 407]

export function checkTrunks({ readiness, trunks }: Facts): readonly Finding[] {
  if (readiness === undefined)
    return [
      warn('carriers', 'not asked: only a running server can ask them', 'start it, and ask again'),
    ]
  if (trunks === undefined) return []
  if ('notAsked' in trunks) return [warn('carriers', 'not asked', trunks.notAsked)]
  return trunks.map(findingOf)
}

/** Returns the line of a carrier. A gateway is a customer's: only its Contact is the operator's fault. */
function findingOf(trunk: Trunk): Finding {
  const { isEnabled, kind, name, servers } = trunk
  const subject = `${kind} ${name}`
  if (!isEnabled) return ok(subject, 'disabled: no call is sent to it')
  const wrong = kind === 'gateway' ? warn : fail
  const [text, advice] = unreached(trunk) ?? refused(trunk) ?? []
  if (text !== undefined && advice !== undefined) {
    const isOurs = servers.some(hasUselessContact)
    return (isOurs ? fail : wrong)(subject, text, advice)
  }
  const doubt = doubtOf(trunk)
  return doubt === undefined
    ? ok(subject, servers.map(answerText).join(' · '))
    : warn(subject, ...doubt)
}

type Trouble = readonly [text: string, advice: string]

function unreached({ host, kind, name, servers }: Trunk): Trouble | undefined {
  if (servers.length === 0)
    return kind === 'gateway'
      ? [
          `no address of ${host} can be called: it is unknown, or not public`,
          'ask the account to correct its gateway; a private one needs WEBHOOK_ALLOW_CIDRS',
        ]
      : [
          `no address is known for ${host}: it has neither NAPTR and SRV nor address records`,
          `correct its host: trunkline carriers put ${name} --host HOST; or the name servers of this machine`,
        ]
  const useless = servers.find(hasUselessContact)
  if (useless !== undefined)
    return [
      `${useless.server} is on the Internet and gets the Contact ${useless.contact ?? ''}, which it cannot reach`,
      CONTACT,
    ]
  if (servers.every(({ outcome }) => outcome === 'unsent'))
    return [
      `nothing could be sent to ${serverNames(servers)}`,
      'the line signaling says whether drachtio is connected; tls needs a certificate: docs/sip-tls.md',
    ]
  if (servers.every(({ outcome }) => outcome !== 'answered'))
    return [`no answer to OPTIONS from ${serverNames(servers)}`, SILENT]
  return undefined
}

function refused({
  hasCredentials,
  kind,
  name,
  registration,
  servers,
}: Trunk): Trouble | undefined {
  const challenge = servers.flatMap(challengeOf)[0]
  if (challenge !== undefined && kind === 'gateway')
    return [
      `${challenge}, and a gateway has no credentials`,
      'ask the account to let its PBX take calls from this address without a password',
    ]
  if (challenge !== undefined && !hasCredentials)
    return [
      `${challenge}, and none are set here`,
      `set them: trunkline carriers put ${name} … --username USER --password-stdin`,
    ]
  const rejected = servers.find(({ status }) => CHALLENGES.includes(status ?? 0))
  if (rejected !== undefined)
    return [
      `${rejected.server} refuses the credentials: ${String(rejected.status)}`,
      `compare username, password and realm: trunkline carriers put ${name} … --username USER --password-stdin`,
    ]
  if (registration?.state === 'refused' || registration?.state === 'unanswered')
    return [
      `the registration is ${registration.state}${statusText(registration.status)}`,
      'compare username, password and realm with what the carrier says; calls from it may not come',
    ]
  const full = servers.find(({ status }) => status === 503)
  return full && [`${full.server} takes no calls now: 503 to OPTIONS`, 'ask the carrier']
}

/** Returns how a server asked for credentials: now, or when the last INVITE had none. */
function challengeOf({ refusal, server, status }: TrunkServer): readonly string[] {
  if (CHALLENGES.includes(status ?? 0))
    return [`${server} asks for credentials (${String(status)} to OPTIONS)`]
  return CHALLENGES.includes(refusal?.status ?? 0)
    ? [`${server} asks for credentials (${String(refusal?.status)} to the last INVITE)`]
    : []
}

function doubtOf({ servers }: Trunk): Trouble | undefined {
  const silent = servers.filter(({ outcome }) => outcome !== 'answered')
  if (silent.length > 0) return [`no answer to OPTIONS from ${serverNames(silent)}`, SILENT]
  for (const { reason, refusal, server } of servers) {
    if (reason !== null)
      return [
        `${server} answers now, and is tried last: ${reason}`,
        'calls go to it again in a while',
      ]
    if (refusal !== null)
      return [
        `${server} refused the last INVITE with ${String(refusal.status)}, at ${new Date(refusal.at).toISOString()}`,
        'trunkline logs CALL says more; ask the carrier about the number, the caller or the codec',
      ]
  }
  return undefined
}

/** True when a server on the Internet gets a Contact that leads to itself or to a private network. */
function hasUselessContact({ contact, isPublic }: TrunkServer): boolean {
  if (!isPublic || contact === null) return false
  return isLoopback(contact) || isInRanges(contact, PRIVATE_NETWORKS)
}

function answerText({ contact, elapsedMs, server, status }: TrunkServer): string {
  const shown = contact === null ? '' : `, Contact ${contact}`
  return `${server} answered OPTIONS${statusText(status)} in ${String(elapsedMs)} ms${shown}`
}

const serverNames = (servers: readonly TrunkServer[]) =>
  servers.map(({ server }) => server).join(', ')

const statusText = (status: number | null) => (status === null ? '' : ` with ${String(status)}`)
