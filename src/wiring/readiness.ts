import type { Readiness } from '../platform/http/public-app.js'
import type { TelephonyHealth } from '../voice/telephony/port.js'
import type { ServerView } from '../voice/telephony/server-view.js'
import { isUp } from '../voice/telephony/when-up.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import type { Voice } from './voice.js'

/**
 * Makes the check of readiness for calls: both servers are connected, the disk and the database take
 * writes, and no shutdown has begun. Without its bucket a server takes calls: recordings wait on the
 * disk.
 */
export function readinessOf(
  { config, db, disk }: Base,
  { telephony, calls }: Voice,
  files: Files,
): Readiness {
  const isAway = db.engine === 'postgres' && !db.isWritable
  const isFull = disk.isFull || (db.engine === 'sqlite' && !db.isWritable)
  const isDraining = calls.isDraining()
  return {
    isReady: canCarryCalls(telephony) && !isFull && !isAway && !isDraining,
    detail: {
      ...connectionsOf(telephony.health),
      ...drainOf(telephony.servers()),
      disk: isFull ? 'full' : 'ok',
      database: `${db.engine} ${isAway ? 'away' : 'ok'}`,
      calls: isDraining ? 'draining' : 'taken',
      ...(config.bucket === undefined ? {} : { bucket: files.isBucketAway ? 'away' : 'ok' }),
    },
  }
}

/** True while both kinds of servers are up, and a media server is of use: its channels connect back. */
function canCarryCalls(telephony: Voice['telephony']): boolean {
  if (!isUp(telephony)) return false
  const up = telephony
    .servers()
    .filter(({ kind, health, isDrained }) => kind === 'freeswitch' && health === 'up' && !isDrained)
  return up.length === 0 || up.some(({ fault }) => fault === undefined)
}

/** Tells how many servers are drained; nothing while none is. */
function drainOf(servers: readonly ServerView[]): Readonly<Record<string, string>> {
  const drained = servers.filter(({ isDrained }) => isDrained).length
  return drained === 0 ? {} : { servers: `${drained} of ${servers.length} drained` }
}

/** The states of the servers, and each fault that there is. */
function connectionsOf(health: TelephonyHealth): Readonly<Record<string, string>> {
  const { signaling, media, signalingFault, mediaFault } = health
  return {
    signaling,
    media,
    ...(signalingFault === undefined ? {} : { signalingFault }),
    ...(mediaFault === undefined ? {} : { mediaFault }),
  }
}
