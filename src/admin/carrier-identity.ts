/** The certificate of a carrier on the private listener: STIR/SHAKEN. */
import { z } from '@hono/zod-openapi'
import type { CarrierSettings } from '../voice/carriers/carrier.js'
import { readSigningKey } from '../voice/stir/sign-caller.js'

const MAX_KEY_CHARS = 4_096

const certificateUrl = z
  .string()
  .max(512)
  .regex(/^https?:\/\/[^\s<>"]+$/)
  .openapi({ description: 'The public URL of the certificate chain in PEM, which `info` names.' })

export const identityBody = z
  .strictObject({
    certificateUrl,
    privateKey: z
      .string()
      .max(MAX_KEY_CHARS)
      .refine((pem) => readSigningKey(pem) !== undefined, 'must be a PEM key of ECDSA on P-256')
      .openapi({ description: 'The private key of the certificate in PEM; never shown.' }),
  })
  .nullable()
  .default(null)
  .openapi({ description: 'Signs the callers of calls to it (STIR/SHAKEN); null does not.' })

export const identityResource = z
  .object({ certificateUrl })
  .nullable()
  .openapi({ description: 'The certificate that callers are signed with.' })

export function identityToWire({
  identity,
}: Pick<CarrierSettings, 'identity'>): z.infer<typeof identityResource> {
  return identity === undefined ? null : { certificateUrl: identity.certificateUrl }
}
