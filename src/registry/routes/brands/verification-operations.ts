import { z } from '@hono/zod-openapi'
import { refuse } from '../../model/registry-error.js'
import type { Otps } from '../../services/brands/otp.js'
import type { Otp } from '../../storage/otps.js'
import { described } from '../dialect/field-descriptions.js'
import { operation, type RegistryOperation } from '../dialect/operation.js'
import { bodyText, isoTime, queryText, timestamp } from '../dialect/schemas.js'

const smsText = z.string().min(1).max(480)
const otpStatus = z
  .object(
    described({
      brandId: z.string(),
      referenceId: z.string(),
      mobilePhone: z.string(),
      requestDate: timestamp(),
      /** Time of the successful verification; absent without one. */
      verifyDate: z.iso.datetime().optional(),
      deliveryStatus: z.string().nullable(),
      deliveryStatusDate: timestamp(),
      deliveryStatusDetails: z.string().nullable(),
    }),
  )
  .openapi('OtpStatus')

/** The operations that verify a brand: the one-time password and the business contact's mail. */
export function verificationOperations(
  otps: Otps,
  resendMail: (cspId: string, brandId: string) => Promise<void>,
): RegistryOperation[] {
  return [
    operation({
      id: 'getOtpStatus',
      summary: 'Get the state of a one-time password',
      method: 'get',
      path: '/brand/smsOtp/{referenceId}',
      row: 'Brand OTP status',
      response: otpStatus,
      run: async ({ caller: csp, params }) =>
        otpToWire(await otps.status(csp.cspId, params.referenceId)),
    }),
    operation({
      id: 'triggerOtp',
      summary: 'Send a one-time password to the mobile phone of a sole proprietor',
      method: 'post',
      path: '/brand/{brandId}/smsOtp',
      body: z.object(described({ pinSms: smsText, successSms: bodyText(480) })),
      response: z.object(described({ brandId: z.string(), referenceId: z.string() })),
      run: async ({ caller: csp, params, body }) => {
        const { brandId, referenceId } = await otps.trigger(csp.cspId, params.brandId, {
          pinSms: body.pinSms,
          successSms: body.successSms ?? '',
        })
        return { brandId, referenceId }
      },
    }),
    operation({
      id: 'verifyOtp',
      summary: 'Verify a sole proprietor by the PIN of the one-time password',
      method: 'put',
      path: '/brand/{brandId}/smsOtp',
      body: z.object(described({ otpPin: z.string().min(1).max(10) })),
      run: ({ caller: csp, params, body }) => otps.verify(csp.cspId, params.brandId, body.otpPin),
    }),
    operation({
      id: 'resend2faEmail',
      summary: 'Send the mail to the business contact again',
      method: 'post',
      path: '/brand/{brandId}/2faEmail',
      query: z.object(described({ vettingClass: queryText(20) })),
      run: ({ caller: csp, params, query }) => {
        const vettingClass = query.vettingClass ?? 'AUTHPLUS'
        if (vettingClass === 'RCS') throw refuse(565, ['vettingClass'], 'there is no RCS vetting')
        if (vettingClass !== 'AUTHPLUS') throw refuse(501, ['vettingClass'], 'AUTHPLUS or RCS')
        return resendMail(csp.cspId, params.brandId)
      },
    }),
  ]
}

function otpToWire(otp: Otp): z.infer<typeof otpStatus> {
  return {
    brandId: otp.brandId,
    referenceId: otp.referenceId,
    mobilePhone: otp.mobilePhone,
    requestDate: isoTime(otp.requestedAt),
    ...(otp.verifiedAt === undefined ? {} : { verifyDate: new Date(otp.verifiedAt).toISOString() }),
    deliveryStatus: otp.deliveryStatus ?? null,
    deliveryStatusDate: isoTime(otp.deliveryStatusAt),
    deliveryStatusDetails: otp.deliveryStatusDetails ?? null,
  }
}
