import type { Readiness } from '../platform/http/public-app.js'
import { isUp } from '../voice/telephony/when-up.js'
import type { Base } from './base.js'
import type { Voice } from './voice.js'

/**
 * Makes the check of readiness for calls: both servers are connected, the disk and the database take
 * writes, and no shutdown has begun.
 */
export function readinessOf({ db, disk }: Base, { telephony, calls }: Voice): Readiness {
  const isAway = db.engine === 'postgres' && !db.isWritable
  const isFull = disk.isFull || (db.engine === 'sqlite' && !db.isWritable)
  const isDraining = calls.isDraining()
  return {
    isReady: isUp(telephony) && !isFull && !isAway && !isDraining,
    detail: {
      ...telephony.health,
      disk: isFull ? 'full' : 'ok',
      database: `${db.engine} ${isAway ? 'away' : 'ok'}`,
      calls: isDraining ? 'draining' : 'taken',
    },
  }
}
