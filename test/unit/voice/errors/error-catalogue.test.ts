import { expect, it } from 'vitest'
import { ERROR_CATALOGUE } from '../../../../src/voice/errors/error-catalogue.js'
import { ABSENT_ERRORS } from '../../../support/voice/absent-errors.js'
import { CONVENTION_ERRORS } from '../../../support/voice/convention-errors.js'
import { errorDocument, testsByNumber } from '../../../support/voice/error-document.js'

const tests = testsByNumber()

it.each(Object.keys(ERROR_CATALOGUE).map(Number))('%i is provoked by a test', (number) => {
  expect(tests.get(number) ?? []).not.toEqual([])
})

it.each(
  Object.entries(ERROR_CATALOGUE),
)('%s says what it means and what to do', (_number, entry) => {
  expect(entry.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  expect(entry.text).toMatch(/^[A-Z].*\.$/)
  expect(entry.remedy).toMatch(/^[A-Z`].*\.$/)
})

it('gives each number a name of its own', () => {
  const names = Object.values(ERROR_CATALOGUE).map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('has every number that the convention documents, or the reason why it cannot occur', () => {
  const absent = new Set(ABSENT_ERRORS.flatMap(({ numbers }) => numbers))
  const unknown = CONVENTION_ERRORS.filter(
    (number) => !(number in ERROR_CATALOGUE) && !absent.has(number),
  )
  expect(unknown).toEqual([])
  expect([...absent].filter((number) => number in ERROR_CATALOGUE)).toEqual([])
})

it('is documented as it is', async () => {
  await expect(errorDocument(tests)).toMatchFileSnapshot('../../../../docs/errors.md')
})
