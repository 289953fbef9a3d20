/** Schemas that several resources share. */
import { z } from '@hono/zod-openapi'
import { lastOf } from '../../../platform/api/repeated.js'
import { refuse } from '../../model/registry-error.js'

const emptyAsAbsent = (value: unknown): unknown => {
  const single = lastOf(value)
  return single === '' ? undefined : single
}

/** A text in a query; empty and absent mean the same. */
export const queryText = (max = 255) => z.preprocess(emptyAsAbsent, z.string().max(max).optional())

export const queryChoice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess(emptyAsAbsent, z.enum(values).optional())

export const queryFlag = () =>
  z.preprocess((value) => {
    const single = emptyAsAbsent(value)
    return single === 'true' ? true : single === 'false' ? false : single
  }, z.boolean().optional())

function givenValues(value: unknown): unknown[] {
  const all: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
  return all.filter((each) => each !== '')
}

export const queryList = () => z.preprocess(givenValues, z.array(z.string().max(50)).max(50))

/** A list of these values in a query; an empty list selects all. */
export const queryChoices = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess(givenValues, z.array(z.enum(values)).max(50))

/** A day in a query, as `2026-11-22`. */
export const queryDate = () => z.preprocess(emptyAsAbsent, z.iso.date().optional())

export const timestamp = () => z.iso.datetime().nullable()

export function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

/** The operator's network ID in a path; RegistryError 502 when it is no number. */
export function mnoIdOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw refuse(502, ['mnoId'], `there is no operator ${text}`)
  return Number(text)
}

/** An optional text in a JSON body; null means the same as leaving it out. */
export const bodyText = (max: number) => z.string().max(max).nullish()
