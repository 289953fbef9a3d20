import type { Database } from '../../platform/database/database.js'
import type { RegistryClock } from '../model/core.js'

/**
 * A clock that an operator can turn forward, to test expiry and renewal; it stays turned over
 * restarts.
 */
export interface TurnedClock extends RegistryClock {
  turn(byMs: number): Promise<void>
}

export async function openTurnedClock(db: Database, clock: RegistryClock): Promise<TurnedClock> {
  const row = await db.read.selectFrom('registry_clock').select('turned_by_ms').executeTakeFirst()
  let turnedByMs = row?.turned_by_ms ?? 0
  return {
    now: () => clock.now() + turnedByMs,
    turn: async (byMs) => {
      turnedByMs = await db.write(async (tx) => {
        const { turned_by_ms } = await tx
          .insertInto('registry_clock')
          .values({ id: 1, turned_by_ms: byMs })
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((each) => ({
              turned_by_ms: each('registry_clock.turned_by_ms', '+', byMs),
            })),
          )
          .returning('turned_by_ms')
          .executeTakeFirstOrThrow()
        return turned_by_ms
      })
    },
  }
}
