/** Keeps the answers of a provider for an hour, as the result of a portability check is kept. */
import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { LookupProvider, NumberRoute } from '../lookup-provider.js'

const LIFE_MS = 3_600_000
/** The number of old answers that are removed with each new one. */
const SWEEP = 10

export interface KeptAnswersDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
}

export function withKeptAnswers(provider: LookupProvider, deps: KeptAnswersDeps): LookupProvider {
  return {
    callerName: async (number) => {
      const ask = async () => ({ name: (await provider.callerName(number)) ?? null })
      return (await kept(deps, `name ${number}`, ask)).name ?? undefined
    },
    route: (destination, caller) =>
      kept<NumberRoute>(deps, `route ${destination} ${caller}`, () =>
        provider.route(destination, caller),
      ),
  }
}

async function kept<Answer extends object>(
  { db, clock }: KeptAnswersDeps,
  question: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const now = clock.now()
  const known = await db.read
    .selectFrom('lookup_answers')
    .select('answer')
    .where('question', '=', question)
    .where('askedAt', '>', now - LIFE_MS)
    .executeTakeFirst()
  if (known !== undefined) return JSON.parse(known.answer) as Answer // as it was written below
  const answer = await ask()
  const row = { answer: JSON.stringify(answer), askedAt: now }
  await db.write(async (tx) => {
    await removeOld(tx, now)
    await tx
      .insertInto('lookup_answers')
      .values({ question, ...row })
      .onConflict((same) => same.column('question').doUpdateSet(row))
      .execute()
  })
  return answer
}

async function removeOld(tx: Writer, now: number): Promise<void> {
  const old = await tx
    .selectFrom('lookup_answers')
    .select('question')
    .where('askedAt', '<=', now - LIFE_MS)
    .orderBy('askedAt')
    .limit(SWEEP)
    .execute()
  for (const { question } of old)
    await tx.deleteFrom('lookup_answers').where('question', '=', question).execute()
}
