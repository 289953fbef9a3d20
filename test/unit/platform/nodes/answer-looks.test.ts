import { expect, it, onTestFinished } from 'vitest'
import { Disposer } from '../../../../src/platform/disposer.js'
import { insertRequest, storeAnswer } from '../../../../src/platform/nodes/node-request-storage.js'
import { AnswerLooks } from '../../../../src/platform/nodes/node-requests.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

async function setUp() {
  const disposer = new Disposer()
  onTestFinished(() => disposer[Symbol.asyncDispose]())
  const folder = disposer.use(tempFolder())
  const db = disposer.use(await openTestDatabase(folder.path, 'a'))
  let queries = 0
  const looks = new AnswerLooks({
    get read() {
      queries += 1
      return db.read
    },
  })
  const ask = (id: string) =>
    db.write((tx) => insertRequest(tx, { id, node: 'b', kind: 'greet', content: '', askedAt: 1 }))
  const answer = (id: string) => db.write((tx) => storeAnswer(tx, id, `answer to ${id}`))
  return { looks, ask, answer, queries: () => queries }
}

it('finds the answers of all that look at once with one query', async () => {
  const { looks, ask, answer, queries } = await setUp()
  for (const id of ['one', 'two', 'three']) await ask(id)
  await answer('one')
  await answer('three')
  const ids = ['one', 'two', 'three', 'unknown']
  const found = await Promise.all(ids.map((id) => looks.answerTo(id)))
  expect(found).toEqual(['answer to one', undefined, 'answer to three', undefined])
  expect(queries()).toBe(1)
})

it('finds an answer that came after the last look', async () => {
  const { looks, ask, answer } = await setUp()
  await ask('one')
  expect(await looks.answerTo('one')).toBeUndefined()
  await answer('one')
  expect(await looks.answerTo('one')).toBe('answer to one')
})
