import type { Clock } from '../clock.js'
import type { Database } from '../database/database.js'

/** A clock that operators can advance for tests; the offset survives restarts. */
export interface TurnedClock extends Pick<Clock, 'now'> {
  turn(byMs: number): Promise<void>
}

/** Opens the clock with that name; each feature has its own. */
export async function openTurnedClock(
  db: Database,
  name: string,
  clock: Pick<Clock, 'now'>,
): Promise<TurnedClock> {
  const row = await db.read
    .selectFrom('turned_clocks')
    .select('turnedByMs')
    .where('name', '=', name)
    .executeTakeFirst()
  let turnedByMs = row?.turnedByMs ?? 0
  return {
    now: () => clock.now() + turnedByMs,
    turn: async (byMs) => {
      turnedByMs = await db.write(async (tx) => {
        const { turnedByMs } = await tx
          .insertInto('turned_clocks')
          .values({ name, turnedByMs: byMs })
          .onConflict((conflict) =>
            conflict.column('name').doUpdateSet((each) => ({
              turnedByMs: each('turned_clocks.turnedByMs', '+', byMs),
            })),
          )
          .returning('turnedByMs')
          .executeTakeFirstOrThrow()
        return turnedByMs
      })
    },
  }
}
