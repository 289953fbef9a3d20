import { z } from '@hono/zod-openapi'
import { isSupportedCountry } from 'libphonenumber-js/max'
import type { AccountChange } from '../accounts/accounts.js'
import { cidr, url } from './admin-schemas.js'

/** POST /accounts */
export const newAccountBody = z.object({ friendlyName: z.string().min(1).max(64) })

/** Absent: stays; null: is cleared. */
const clearable = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()

const text = z.string().min(1).max(1_024)
const method = z.enum(['GET', 'POST'])

/** RFC 9110 §5.6.2, and of the names that no part of HTTP itself owns. */
const headerName = z
  .string()
  .regex(/^x-[!#$%&'*+.^_`|~0-9a-z-]{1,62}$/i, 'a header name that begins with X-')

/** PATCH /accounts/{sid} */
export const accountChangeBody = z.strictObject({
  friendlyName: z.string().min(1).max(64).optional(),
  phoneRegions: z
    .array(z.string().refine(isSupportedCountry, 'an ISO country code, such as US'))
    .max(50)
    .optional(),
  settings: z
    .strictObject({
      callsPerSecond: clearable(z.number().positive().max(10_000)),
      secondSignatureHeader: clearable(headerName),
      tts: z
        .strictObject({
          url: clearable(url),
          token: clearable(text),
          engineName: clearable(text),
          defaultVoice: clearable(text),
          defaultLanguage: clearable(text),
        })
        .optional(),
      stt: z
        .strictObject({
          vendor: clearable(text),
          url: clearable(url),
          token: clearable(text),
        })
        .optional(),
      storage: z
        .strictObject({
          bucket: clearable(text),
          region: clearable(text),
          prefix: clearable(text),
          accessKeyId: clearable(text),
          secretAccessKey: clearable(text),
          kmsKeyId: clearable(text),
        })
        .optional(),
      voice: z
        .strictObject({
          url: clearable(url),
          method: clearable(method),
          fallbackUrl: clearable(url),
          fallbackMethod: clearable(method),
        })
        .optional(),
      allowCidr: z.array(cidr).max(200).optional(),
    })
    .optional(),
})

/** A group that the body leaves out is absent from the change, not undefined. */
export function readAccountChange(body: unknown): AccountChange {
  const { settings, friendlyName, phoneRegions } = accountChangeBody.parse(body)
  const { tts, stt, storage, voice, allowCidr, ...rest } = settings ?? {}
  return {
    ...(friendlyName === undefined ? {} : { friendlyName }),
    ...(phoneRegions === undefined ? {} : { phoneRegions }),
    settings: {
      ...rest,
      ...(tts === undefined ? {} : { tts }),
      ...(stt === undefined ? {} : { stt }),
      ...(storage === undefined ? {} : { storage }),
      ...(voice === undefined ? {} : { voice }),
      ...(allowCidr === undefined ? {} : { allowCidr }),
    },
  }
}
