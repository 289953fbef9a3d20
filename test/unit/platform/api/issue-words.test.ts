import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { wordsOf } from '../../../../src/platform/api/issue-words.js'

const digits = z
  .string()
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN))
  .pipe(z.number().min(1))

it.each<[string, z.ZodType, unknown, string]>([
  ['no value', z.string(), undefined, 'it is required'],
  ['no value of an enumeration', z.enum(['a', 'b']), undefined, 'it is required'],
  ['a number for a text', z.string(), 5, 'a text is expected'],
  ['a text for a number', z.number(), '5', 'a number is expected'],
  ['a fraction', z.int(), 1.5, 'a whole number is expected'],
  ['a fraction in a form', digits, '5.5', 'a whole number is expected'],
  ['a text for a boolean', z.boolean(), 'true', 'true or false is expected'],
  ['an object for a list', z.array(z.string()), {}, 'a list is expected'],
  ['a list for an object', z.object({}), [], 'an object is expected'],
  ['null for an object', z.object({}), null, 'an object is expected'],
  ['another value', z.enum(['a', 'b']), 'c', 'one of a, b is expected'],
  ['another value than the only one', z.literal('a'), 'c', 'a is expected'],
  ['a value where only none is taken', z.literal(''), 'c', 'an empty text is expected'],
  ['the limit of what is larger', z.number().positive(), 0, 'more than 0 is expected'],
  ['the limit of what is smaller', z.number().lt(5), 5, 'less than 5 is expected'],
  ['too small', z.number().min(3), 2, 'at least 3 is expected'],
  ['too big', z.number().max(1000), 1001, 'at most 1000 is expected'],
  ['a text too short', z.string().min(40), 'x', 'at least 40 characters are expected'],
  ['an empty text', z.string().min(1), '', 'at least one character is expected'],
  ['a text too long', z.string().max(64), 'x'.repeat(65), 'at most 64 characters are expected'],
  ['an empty list', z.array(z.string()).min(1), [], 'at least one item is expected'],
  ['a list too long', z.array(z.int()).max(2), [1, 2, 3], 'at most 2 items are expected'],
  ['no address of mail', z.email(), 'x', 'an address of mail is expected'],
  ['another form', z.string().regex(/^A\d$/), 'x', 'a text that matches /^A\\d$/ is expected'],
  [
    'another type than any that is allowed',
    z.union([z.literal(''), z.string().min(20)]),
    [],
    'a text is expected',
  ],
  ['what the schema words itself', z.string({ error: 'a name' }), 5, 'a name'],
])('%s is said in the words of the APIs', (_title, schema, value, words) => {
  const { error } = schema.safeParse(value, { error: wordsOf })
  expect(error?.issues.map(({ message }) => message)).toEqual([words])
})
