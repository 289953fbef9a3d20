import { z } from '@hono/zod-openapi'
import { FORWARDED_CALLERS } from '../numbers/forwarded-caller.js'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../voice/carriers/carrier.js'
import type { CarrierClaims } from '../voice/carriers/carrier-claims.js'
import type { CarrierHealth } from '../voice/carriers/carrier-health.js'
import { readCarrierHost } from '../voice/carriers/carrier-host.js'
import type { CarrierRegistrations, Registration } from '../voice/carriers/carrier-registrations.js'
import { type CarrierServers, serverKey } from '../voice/carriers/carrier-servers.js'
import type { Carriers } from '../voice/carriers/carriers.js'
import { readSigningKey } from '../voice/stir/sign-caller.js'
import { CODECS } from '../voice/telephony/codecs.js'
import { type AdminOperation, cidr, operation } from './admin-operation.js'
import { AdminError, notFound } from './private-dialect.js'

export interface CarrierOperationDeps {
  readonly carriers: Carriers
  readonly carrierServers: Pick<CarrierServers, 'known'>
  readonly carrierHealth: Pick<CarrierHealth, 'of'>
  readonly carrierClaims: Pick<CarrierClaims, 'callsThrough'>
  readonly carrierRegistrations: Pick<CarrierRegistrations, 'of'>
}

const PATH = '/carriers/{name}'
const NAME = /^[A-Za-z0-9_-]{1,64}$/
const params = {
  name: z.string().regex(NAME).openapi({ description: 'A name of letters, digits, - and _.' }),
}

const { callerId, codecs, numbers, progressSeconds } = DEFAULT_CARRIER_SETTINGS

/** Settings of a carrier for calls to 911. */
const emergencyFields = {
  emergency: z
    .boolean()
    .default(false)
    .openapi({ description: 'True: calls to 911 go to it, whatever its prefixes and limits say.' }),
  emergencyTo: z.enum(['number', 'service']).default('number').openapi({
    description: 'The To of calls to 911: the number, or urn:service:sos (RFC 5031).',
  }),
}

const MAX_KEY_CHARS = 4_096

const certificateUrl = z
  .string()
  .max(512)
  .regex(/^https?:\/\/[^\s<>"]+$/)
  .openapi({ description: 'The public URL of the certificate chain in PEM, which `info` names.' })

const identityBody = z
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

const identityResource = z
  .object({ certificateUrl })
  .nullable()
  .openapi({ description: 'The certificate that callers are signed with.' })

const digits = (most: number) => z.string().regex(new RegExp(String.raw`^\d{0,${String(most)}}$`))
/** A header that an operator may add; others are set by the SIP stack or by their own setting. */
const headerName = z.string().regex(/^(x-[a-z0-9-]{1,62}|user-to-user|p-charge-info|diversion)$/i)
const headerValue = z.string().regex(/^[\x20-\x7e]{0,256}$/)

const numberFields = {
  numberFormat: z.enum(['e164', 'digits', 'national']).default(numbers.format).openapi({
    description:
      'How numbers are written, to it and by it: +442079460018, 442079460018, or as dialled in countryCode.',
  }),
  countryCode: digits(3).default(numbers.countryCode).openapi({
    description: 'The country code, without plus, whose numbers `national` shortens.',
  }),
  trunkPrefix: digits(4)
    .default(numbers.trunkPrefix)
    .openapi({ description: 'The digits before a national number, such as 0.' }),
  internationalPrefix: digits(6)
    .default(numbers.internationalPrefix)
    .openapi({ description: "The digits before a foreign number's country code, such as 00." }),
  techPrefix: z
    .string()
    .regex(/^[0-9*#]{0,16}$/)
    .default(numbers.techPrefix)
    .openapi({ description: 'Digits before every called number.' }),
}

const callerFields = {
  callerIdHeader: z
    .enum(['From', 'P-Asserted-Identity', 'Remote-Party-ID'])
    .default(callerId.header)
    .openapi({ description: "The header that has the caller's number." }),
  fromUser: z
    .string()
    .regex(/^[A-Za-z0-9._+-]{1,64}$/)
    .nullable()
    .default(null)
    .openapi({ description: 'The user of From where another header has the number.' }),
  fromHost: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,253}$/)
    .nullable()
    .default(null)
    .openapi({ description: 'The host of From; null shows our own.' }),
  forwardedCaller: z.enum(FORWARDED_CALLERS).default('caller').openapi({
    description: 'The caller of a forwarded call: from outside, or the number that forwards it.',
  }),
}

const limitFields = {
  callsPerSecond: z
    .number()
    .min(0.1)
    .max(10_000)
    .nullable()
    .default(null)
    .openapi({ description: 'The INVITEs a second that one node sends to it.' }),
  maxCalls: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .openapi({ description: 'The calls at once through it, over all nodes.' }),
  progressSeconds: z
    .number()
    .int()
    .min(1)
    .max(60)
    .default(progressSeconds)
    .openapi({ description: 'The time in which it must ring before another carrier is tried.' }),
  probeSeconds: z
    .number()
    .int()
    .min(0)
    .max(3_600)
    .default(0)
    .openapi({ description: 'The seconds between two OPTIONS; 0 sends none.' }),
  registerSeconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(0)
    .openapi({ description: 'The lifetime of our registration at it; 0 does not register.' }),
}

const MAX_HOST_CHARS = 300

const fields = {
  enabled: z
    .boolean()
    .default(true)
    .openapi({ description: 'False: no call is sent to it. Its own calls are still taken.' }),
  host: z
    .string()
    .max(MAX_HOST_CHARS)
    .superRefine((text, context) => {
      const read = readCarrierHost(text)
      if (typeof read === 'string') context.addIssue({ code: 'custom', message: read })
    })
    .openapi({
      description:
        'The host name or address that calls are sent to. A port, `sip:` and `;transport=` in it are taken as port and transport.',
    }),
  port: z.number().int().min(1).max(65_535).nullable().default(null).openapi({
    description: 'Its SIP port; null takes that of DNS (SRV), else 5060, or 5061 for TLS.',
  }),
  transport: z
    .enum(['udp', 'tcp', 'tls', 'dns'])
    .default('udp')
    .openapi({ description: 'Its SIP transport; dns takes that of DNS (NAPTR, SRV), else UDP.' }),
  prefixes: z
    .array(z.string().regex(/^\+[0-9]{0,15}$/))
    .default(['+'])
    .openapi({ description: 'The beginnings of numbers that it takes; + takes all.' }),
  priority: z
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .openapi({ description: 'A carrier with a lower priority is tried first.' }),
  weight: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(1)
    .openapi({ description: 'Its share among carriers of one priority and prefix length.' }),
  addresses: z
    .array(cidr)
    .default([])
    .openapi({ description: 'The addresses and CIDRs that its INVITEs come from.' }),
  ...numberFields,
  ...callerFields,
  headers: z
    .record(headerName, headerValue)
    .default({})
    .openapi({ description: 'Headers of every INVITE to it: X-…, Diversion and the like.' }),
  codecs: z
    .array(z.enum(CODECS))
    .min(1)
    .default([...codecs])
    .openapi({ description: 'The codecs that it is offered, the preferred one first.' }),
  secureMedia: z
    .boolean()
    .default(false)
    .openapi({ description: 'True: it is offered SRTP and nothing else (RFC 4568).' }),
  ...limitFields,
  ...emergencyFields,
}

const carrierBody = z
  .strictObject({
    ...fields,
    identity: identityBody,
    auth: z
      .strictObject({
        username: z.string().min(1).openapi({ description: 'The name for digest authentication.' }),
        password: z.string().openapi({ description: 'The password; never shown.' }),
        realm: z
          .string()
          .min(1)
          .max(255)
          .nullable()
          .default(null)
          .openapi({ description: 'The only realm that is answered; null answers any.' }),
      })
      .optional()
      .openapi({ description: 'The answer to its challenges.' }),
  })
  .refine(({ auth, registerSeconds }) => registerSeconds === 0 || auth !== undefined, {
    path: ['registerSeconds'],
    message: 'needs auth: a registrar asks for credentials',
  })
  .refine(({ countryCode, numberFormat }) => numberFormat !== 'national' || countryCode !== '', {
    path: ['countryCode'],
    message: 'national numbers need a country code',
  })
  .openapi('CarrierRouting')

export const registrationResource = z
  .object({
    state: z
      .enum(['registering', 'registered', 'refused', 'unanswered'])
      .openapi({ description: 'How the last REGISTER ended.' }),
    status: z.number().nullable().openapi({ description: "The registrar's last status." }),
    expiresAt: z
      .number()
      .nullable()
      .openapi({ description: 'The end of the registration, in epoch milliseconds.' }),
  })
  .nullable()
  .openapi({ description: 'Our registration at it.' })

const carrierState = z.object({
  servers: z
    .array(
      z.object({
        server: z.string().openapi({ description: 'Its transport, address and port.' }),
        state: z
          .enum(['up', 'down', 'unknown'])
          .openapi({ description: 'What this node saw last.' }),
        until: z
          .number()
          .nullable()
          .openapi({ description: 'Until when it is tried last, in epoch milliseconds.' }),
        reason: z.string().nullable().openapi({ description: 'Why it is down.' }),
      }),
    )
    .openapi({ description: 'Its servers as this node knows them.' }),
  calls: z
    .number()
    .nullable()
    .openapi({ description: 'The calls under way, where maxCalls limits them.' }),
  registration: registrationResource,
})

type CarrierState = z.infer<typeof carrierState>

const carrierResource = z
  .object({
    name: z.string().openapi({ description: 'The name in the path.' }),
    ...fields,
    identity: identityResource,
    username: z
      .string()
      .nullable()
      .openapi({ description: 'The name for digest authentication, if there is one.' }),
    realm: z.string().nullable().openapi({ description: 'The only realm that is answered.' }),
    state: carrierState.openapi({ description: 'How it is now, seen from the node that answers.' }),
  })
  .openapi('Carrier')

type CarrierBody = z.infer<typeof carrierBody>

type CarrierResource = z.infer<typeof carrierResource>

/** Operations on carriers: the trunks for calls to external numbers. */
export function carrierOperations(deps: CarrierOperationDeps): AdminOperation[] {
  const { carriers } = deps
  return [
    operation({
      id: 'listCarriers',
      summary: 'List the carriers, and how each is now',
      method: 'get',
      path: '/carriers',
      response: z.object({
        carriers: z.array(carrierResource).openapi({ description: 'All of them.' }),
      }),
      run: async () => ({
        carriers: await Promise.all((await carriers.list()).map((each) => shown(each, deps))),
      }),
    }),
    operation({
      id: 'putCarrier',
      summary: 'Add a carrier, or replace the one of that name',
      method: 'put',
      path: PATH,
      params,
      body: carrierBody,
      response: carrierResource,
      run: async ({ params: { name }, body, given }) => {
        if (!NAME.test(name)) throw new AdminError(400, 'a name has letters, digits, - and _')
        const carrier = carrierOfBody(name, body, placeOf(body, given))
        await carriers.put(carrier)
        return shown(carrier, deps)
      },
    }),
    operation({
      id: 'removeCarrier',
      summary: 'Remove a carrier',
      method: 'delete',
      path: PATH,
      params,
      errors: [404],
      run: async ({ params: { name } }) => {
        if (!(await carriers.remove(name))) throw notFound()
      },
    }),
  ]
}

async function shown(carrier: Carrier, deps: CarrierOperationDeps): Promise<CarrierResource> {
  return carrierToWire(carrier, await stateOf(carrier, deps))
}

async function stateOf(carrier: Carrier, deps: CarrierOperationDeps): Promise<CarrierState> {
  const { name, settings } = carrier
  return {
    servers: deps.carrierServers.known(carrier).map((server) => {
      const { reason, state, until } = deps.carrierHealth.of(serverKey(server))
      return { server: serverKey(server), state, until: until ?? null, reason: reason ?? null }
    }),
    calls: settings.maxCalls === undefined ? null : await deps.carrierClaims.callsThrough(name),
    registration: registrationToWire(deps.carrierRegistrations.of(name)),
  }
}

export function registrationToWire(registration: Registration | undefined) {
  if (registration === undefined) return null
  const { expiresAt, state, status } = registration
  return { state, status: status ?? null, expiresAt: expiresAt ?? null }
}

type Place = Pick<Carrier, 'host' | 'port' | 'transport'>

/** Returns the host, port and transport, of which two may be part of the host's text. Throws AdminError. */
function placeOf(body: CarrierBody, given: unknown): Place {
  const read = readCarrierHost(body.host)
  if (typeof read === 'string') throw new AdminError(400, `host: ${read}`)
  const port = body.port ?? read.port
  if (read.port !== undefined && port !== read.port)
    throw new AdminError(400, `port: the host names port ${String(read.port)}, and port another`)
  const isGiven = typeof given === 'object' && given !== null && 'transport' in given
  const transport = isGiven ? body.transport : (read.transport ?? body.transport)
  if (read.transport !== undefined && transport !== read.transport)
    throw new AdminError(400, `transport: the host names ${read.transport}, and transport another`)
  return { host: read.host, port, transport }
}

function carrierOfBody(name: string, body: CarrierBody, place: Place): Carrier {
  const { auth } = body
  return {
    name,
    ...place,
    prefixes: body.prefixes,
    priority: body.priority,
    weight: body.weight,
    addresses: body.addresses,
    ...(auth === undefined ? {} : { auth: { username: auth.username, password: auth.password } }),
    settings: {
      isEnabled: body.enabled,
      realm: auth?.realm ?? undefined,
      numbers: {
        format: body.numberFormat,
        countryCode: body.countryCode,
        trunkPrefix: body.trunkPrefix,
        internationalPrefix: body.internationalPrefix,
        techPrefix: body.techPrefix,
      },
      callerId: {
        header: body.callerIdHeader,
        fromUser: body.fromUser ?? undefined,
        fromHost: body.fromHost ?? undefined,
        forwarded: body.forwardedCaller,
      },
      identity: body.identity ?? undefined,
      headers: body.headers,
      codecs: body.codecs,
      isMediaSecure: body.secureMedia,
      callsPerSecond: body.callsPerSecond ?? undefined,
      maxCalls: body.maxCalls ?? undefined,
      progressSeconds: body.progressSeconds,
      probeSeconds: body.probeSeconds,
      registerSeconds: body.registerSeconds,
      isEmergency: body.emergency,
      emergencyTo: body.emergencyTo,
    },
  }
}

/** The wire form of a carrier, without its password. */
function carrierToWire(carrier: Carrier, state: CarrierState): CarrierResource {
  const { auth, settings } = carrier
  const { callerId: caller, numbers: written } = settings
  return {
    name: carrier.name,
    enabled: settings.isEnabled,
    host: carrier.host,
    port: carrier.port ?? null,
    transport: carrier.transport,
    prefixes: [...carrier.prefixes],
    priority: carrier.priority,
    weight: carrier.weight,
    addresses: [...carrier.addresses],
    numberFormat: written.format,
    countryCode: written.countryCode,
    trunkPrefix: written.trunkPrefix,
    internationalPrefix: written.internationalPrefix,
    techPrefix: written.techPrefix,
    callerIdHeader: caller.header,
    fromUser: caller.fromUser ?? null,
    fromHost: caller.fromHost ?? null,
    forwardedCaller: caller.forwarded ?? 'caller',
    identity:
      settings.identity === undefined ? null : { certificateUrl: settings.identity.certificateUrl },
    headers: { ...settings.headers },
    codecs: [...settings.codecs],
    secureMedia: settings.isMediaSecure,
    callsPerSecond: settings.callsPerSecond ?? null,
    maxCalls: settings.maxCalls ?? null,
    progressSeconds: settings.progressSeconds,
    probeSeconds: settings.probeSeconds,
    registerSeconds: settings.registerSeconds,
    emergency: settings.isEmergency,
    emergencyTo: settings.emergencyTo,
    username: auth?.username ?? null,
    realm: settings.realm ?? null,
    state,
  }
}
