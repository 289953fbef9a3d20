/** The schemas of the operator's requests and answers. */
import { z } from '@hono/zod-openapi'

const explanation = z
  .string()
  .max(2048)
  .default('')
  .openapi({ description: 'What the CSP is told about the decision.' })
export const brandDecision = z
  .strictObject({
    identityStatus: z
      .enum(['UNVERIFIED', 'VERIFIED', 'VETTED_VERIFIED', 'UNSUCCESSFUL'])
      .openapi({ description: 'The identity status that the brand gets.' }),
    explanation,
  })
  .openapi('BrandDecision')
export const operationDecision = z
  .strictObject({
    status: z
      .enum(['REGISTERED', 'REVIEW', 'REJECTED', 'SUSPENDED'])
      .openapi({ description: 'The status of the campaign at the operator.' }),
    category: z
      .string()
      .max(60)
      .optional()
      .openapi({ description: 'Why it is suspended: one of /enum/suspensionCategory.' }),
    explanation,
  })
  .openapi('OperationDecision')
export const shareDecision = z
  .discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('ACCEPT') }),
    z.strictObject({
      decision: z.literal('DECLINE'),
      rejectionCategory: z
        .array(z.string())
        .min(1)
        .openapi({ description: 'Why: values of /enum/rejectionCategory.' }),
      explanation,
    }),
  ])
  .openapi('ShareDecision')
export const assetDecision = z
  .strictObject({
    status: z.enum(['ACTIVE', 'REJECTED']).openapi({ description: 'The status of the image.' }),
    explanation,
  })
  .openapi('AssetDecision')
export const complaintBody = z
  .strictObject({
    mnoId: z.number().int().openapi({ description: 'The number of the operator: /enum/mno.' }),
    explanation,
  })
  .openapi('CampaignComplaint')
export const vettingDecision = z
  .strictObject({
    score: z.number().int().min(0).max(100).nullable().openapi({
      description:
        'The score; null: a pending vetting has failed, an active one has lost its score.',
    }),
  })
  .openapi('VettingDecision')
export const appealDecision = z
  .strictObject({
    isGranted: z.boolean().openapi({ description: 'True: the appeal succeeds.' }),
    explanation,
  })
  .openapi('AppealDecision')
const flag = (description: string) => z.boolean().openapi({ description })
export const cspChange = z
  .strictObject({
    status: z.enum(['ACTIVE', 'SUSPENDED']).openapi({ description: 'A suspended CSP may read.' }),
    platformFreeTrialEnabled: flag('May use the free-trial brand of the platform.'),
    soleProprietorEnabled: flag('May register sole proprietors.'),
    ucaasEnabled: flag('May create campaigns of the use case UCAAS.'),
    publicSafetyEnabled: flag('May create campaigns of public safety.'),
    dpaSigned: flag('Has signed the agreement on data processing.'),
    rcsEnabled: flag('May add images for rich messages.'),
    freeTrialBrandId: z.string().openapi({ description: 'The brand of the free trial.' }),
  })
  .partial()
  .openapi('CspChange')
const contact = (description: string) => z.string().optional().openapi({ description })
export const cspResource = z
  .object({
    cspId: z.string().openapi({ description: 'S and six of A–Z and 0–9.' }),
    accountSid: z.string().openapi({ description: 'The account that the CSP belongs to.' }),
    name: z.string().openapi({ description: 'The name of the account.' }),
    status: z.enum(['ACTIVE', 'SUSPENDED']).openapi({ description: 'Whether it may write.' }),
    escalateEmail: contact('The address for what is urgent.'),
    email: contact('The address for everything else.'),
    techEmail: contact('The address for technical matters.'),
    financeEmail: contact('The address for invoices.'),
    platformFreeTrialEnabled: flag('May use the free-trial brand of the platform.'),
    soleProprietorEnabled: flag('May register sole proprietors.'),
    ucaasEnabled: flag('May create campaigns of the use case UCAAS.'),
    publicSafetyEnabled: flag('May create campaigns of public safety.'),
    dpaSigned: flag('Has signed the agreement on data processing.'),
    rcsEnabled: flag('May add images for rich messages.').optional(),
    migrationSupported: flag('Takes campaigns that migrate to it.'),
    migrationAutoComplete: flag('Completes migrations by itself.'),
    freeTrialBrandId: z.string().optional().openapi({ description: 'The free-trial brand.' }),
  })
  .openapi('Csp')
export const charge = z
  .object({
    kind: z.string().openapi({ description: 'What was charged.' }),
    subject: z.string().openapi({ description: 'The id of the brand, campaign or vetting.' }),
    amount: z.number().int().openapi({ description: 'In 1/10,000 dollar.' }),
    at: z.number().int().openapi({ description: 'When: milliseconds since 1970.' }),
  })
  .openapi('RegistryCharge')

export const message = z
  .object({
    id: z.number().int().openapi({ description: 'The newest message has the highest.' }),
    kind: z.enum(['mail', 'sms']).openapi({ description: 'Mail or SMS.' }),
    recipient: z.string().openapi({ description: 'An e-mail address or phone number.' }),
    subject: z.string().openapi({ description: 'The subject of a mail.' }),
    text: z.string().openapi({ description: 'The text.' }),
    reference: z.string().openapi({ description: 'The id of what it belongs to.' }),
    status: z.string().openapi({ description: 'queued, or how the delivery went.' }),
    createdAt: z.number().int().openapi({ description: 'When: milliseconds since 1970.' }),
  })
  .openapi('RegistryMessage')
