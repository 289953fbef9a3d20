import type { Clock } from '../clock.js'
import type { Database } from '../database/database.js'

/**
 * A clock that an operator can turn forward, to test what time brings; it stays turned over
 * restarts.
 */
export interface TurnedClock extends Pick<Clock, 'now'> {
  turn(byMs: number): Promise<void>
}

/** Opens the clock of that name; a feature has one of its own. */
export async function openTurnedClock(
  db: Database,
  name: string,
  clock: Pick<Clock, 'now'>,
): Promise<TurnedClock> {
  const row = await db.read
    .selectFrom('turned_clocks')
    .select('turned_by_ms')
    .where('name', '=', name)
    .executeTakeFirst()
  let turnedByMs = row?.turned_by_ms ?? 0
  return {
    now: () => clock.now() + turnedByMs,
    turn: async (byMs) => {
      turnedByMs = await db.write(async (tx) => {
        const { turned_by_ms } = await tx
          .insertInto('turned_clocks')
          .values({ name, turned_by_ms: byMs })
          .onConflict((conflict) =>
            conflict.column('name').doUpdateSet((each) => ({
              turned_by_ms: each('turned_clocks.turned_by_ms', '+', byMs),
            })),
          )
          .returning('turned_by_ms')
          .executeTakeFirstOrThrow()
        return turned_by_ms
      })
    },
  }
}
