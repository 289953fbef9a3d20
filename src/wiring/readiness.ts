import type { Readiness } from '../platform/http/public-app.js'
import { serverKey } from '../voice/carriers/carrier-servers.js'
import type { ServerView, TelephonyHealth } from '../voice/telephony/port.js'
import { isUp } from '../voice/telephony/when-up.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import type { Voice } from './voice.js'

/**
 * Creates the readiness check for calls: signaling and media are connected, disk and database are writable, and
 * no shutdown has begun. A missing bucket does not matter: recordings are queued on disk. Nor does a missing
 * carrier: calls between own users need none.
 */
export function readinessOf(
  { config, db, disk }: Base,
  { telephony, calls, trunks }: Pick<Voice, 'telephony' | 'calls' | 'trunks'>,
  files: Files,
): Readiness {
  const isAway = db.engine === 'postgres' && !db.isWritable
  const isFull = disk.isFull || (db.engine === 'sqlite' && !db.isWritable)
  const isDraining = calls.isDraining()
  const servers = telephony.servers()
  return {
    isReady: canCarryCalls(telephony) && !isFull && !isAway && !isDraining,
    detail: {
      ...connectionsOf(telephony.health, servers),
      ...drainOf(servers),
      ...carriersOf(trunks),
      disk: isFull ? 'full' : 'ok',
      database: `${db.engine} ${isAway ? 'away' : 'ok'}`,
      calls: isDraining ? 'draining' : 'taken',
      ...(config.bucket === undefined ? {} : { bucket: files.isBucketAway ? 'away' : 'ok' }),
    },
  }
}

/**
 * True while both kinds of servers are up, and at least one media server is usable: its channels connect back,
 * and it can receive audio.
 */
function canCarryCalls(telephony: Voice['telephony']): boolean {
  if (!isUp(telephony)) return false
  const up = telephony
    .servers()
    .filter(({ kind, health, isDrained }) => kind === 'freeswitch' && health === 'up' && !isDrained)
  return up.length === 0 || up.some(({ fault }) => fault === undefined)
}

/** Reports how many servers are drained; empty when none is. */
function drainOf(servers: readonly ServerView[]): Readonly<Record<string, string>> {
  const drained = servers.filter(({ isDrained }) => isDrained).length
  return drained === 0 ? {} : { servers: `${drained} of ${servers.length} drained` }
}

/** Counts the carriers by what this node saw of their servers last; their names are not for strangers. */
function carriersOf({
  carriers: { lastRead },
  carrierHealth,
  carrierServers,
}: Voice['trunks']): Readonly<Record<string, string>> {
  if (lastRead === undefined) return {}
  const states = lastRead
    .filter(({ settings }) => settings.isEnabled)
    .map((carrier) => {
      const seen = carrierServers.known(carrier).map((each) => carrierHealth.of(serverKey(each)))
      if (seen.some(({ state }) => state === 'up')) return 'up'
      return seen.some(({ state }) => state === 'down') ? 'down' : 'not tried yet'
    })
  if (states.length === 0) return { carriers: 'none, so calls to telephone numbers fail' }
  const counts = ['up', 'down', 'not tried yet'].map((state) => {
    const count = states.filter((each) => each === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return { carriers: counts.flat().join(', ') }
}

/** States of the servers, and each fault with its duration. */
function connectionsOf(
  { signaling, media, signalingFault, mediaFault, audioFault }: TelephonyHealth,
  servers: readonly ServerView[],
): Readonly<Record<string, string>> {
  const ageOf = (wanted: ServerView['kind']) => {
    const ages = servers.flatMap(({ kind, faultMs }) => (kind === wanted ? (faultMs ?? []) : []))
    return ages.length === 0 ? '' : ` (for ${timeText(Math.max(...ages))})`
  }
  return {
    signaling,
    media,
    ...(signalingFault === undefined
      ? {}
      : { signalingFault: `${signalingFault}${ageOf('drachtio')}` }),
    ...(mediaFault === undefined ? {} : { mediaFault: `${mediaFault}${ageOf('freeswitch')}` }),
    ...(audioFault === undefined ? {} : { audioFault }),
  }
}

const MINUTE_S = 60
const HOUR_S = 3_600

function timeText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 2 * MINUTE_S) return `${seconds} s`
  if (seconds < 2 * HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`
  return `${Math.floor(seconds / HOUR_S)} h`
}
