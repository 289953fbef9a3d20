/** The `maxLength` and `minLength` of `/openapi.json` are code points (JSON Schema): the schemas count so too. */
import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { countCharacters } from '../../../../src/platform/text.js'

it.each([
  ['letters', 'ab', 'abc', 'a'],
  ['emoji', '😀😀', '😀😀😀', '😀'],
  ['halves of one', '\ud83d\ud83d', '\ud83d\ud83d\ud83d', '\ud83d'],
])('a text of two characters has two, whatever they are: %s', (_title, two, three, one) => {
  expect([two, three, one].map(countCharacters)).toEqual([2, 3, 1])
  const isTaken = (text: string) => z.string().min(2).max(2).safeParse(text).success
  expect([two, three, one].map(isTaken)).toEqual([true, false, false])
})
