import type { Readiness } from '../platform/http/public-app.js'
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
  const { signaling, media, signalingFault, mediaFault } = telephony.health
  return {
    isReady: isUp(telephony) && !isFull && !isAway && !isDraining,
    detail: {
      signaling,
      media,
      // Without a value each is left out of the answer.
      ...(signalingFault === undefined ? {} : { signalingFault }),
      ...(mediaFault === undefined ? {} : { mediaFault }),
      disk: isFull ? 'full' : 'ok',
      database: `${db.engine} ${isAway ? 'away' : 'ok'}`,
      calls: isDraining ? 'draining' : 'taken',
      ...(config.bucket === undefined ? {} : { bucket: files.isBucketAway ? 'away' : 'ok' }),
    },
  }
}
