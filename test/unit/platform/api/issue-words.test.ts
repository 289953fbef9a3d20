import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { sentenceOf, wordsOf } from '../../../../src/platform/api/issue-words.js'

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
  [
    'a text too short for one choice',
    z.union([z.literal(''), z.string().min(20)]),
    'x',
    'at least 20 characters are expected',
  ],
  [
    'what is wrong by two choices',
    z.union([z.string().min(2), z.string().regex(/^\d$/)]),
    'x',
    'at least 2 characters are expected, or a text that matches /^\\d$/ is expected',
  ],
  [
    'what is wrong inside of a choice',
    z.union([z.object({ id: z.int() }), z.null()]),
    { id: 'x' },
    'id: a number is expected',
  ],
  [
    'none of two values',
    z.union([z.literal('a'), z.literal(5)]),
    'x',
    'a is expected, or 5 is expected',
  ],
  [
    'another kind',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('a') }),
      z.object({ type: z.literal('b') }),
    ]),
    { type: 'c' },
    'one of a, b is expected',
  ],
  ['a field that nobody knows', z.strictObject({}), { x: 1 }, 'it is not known'],
  [
    'a name that is too long',
    z.record(z.string().max(2), z.string()),
    { abc: 'x' },
    'the name is not valid: at most 2 characters are expected',
  ],
  ['a number between the steps', z.number().multipleOf(5), 7, 'a multiple of 5 is expected'],
  ['what has no words', z.string().refine(() => false), 'x', 'it is not valid'],
  ['a type that has no words', z.null(), 'x', 'it is not valid'],
  ['a form that has no words', z.string().startsWith('a'), 'x', 'it is not valid'],
  ['what the schema words itself', z.string({ error: 'a name' }), 5, 'a name'],
])('%s is said in the words of the APIs', (_title, schema, value, words) => {
  const { error } = schema.safeParse(value, { error: wordsOf })
  expect(error?.issues.map(({ message }) => message)).toEqual([words])
})

it('several mistakes are one sentence, which names each field', () => {
  const schema = z.strictObject({
    name: z.string(),
    limits: z.strictObject({ calls: z.int().max(5) }),
  })
  const { error } = schema.safeParse({ limits: { calls: 6, z: 1 }, x: 1, y: 2 }, { error: wordsOf })
  expect(sentenceOf(error?.issues ?? [])).toBe(
    'name: it is required; limits.calls: at most 5 is expected; limits.z: it is not known; ' +
      'x: it is not known; y: it is not known',
  )
})
