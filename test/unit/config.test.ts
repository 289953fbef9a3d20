import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.js'
import { createAddressPolicy } from '../../src/platform/http/address-policy.js'
import { checkCertificate } from '../../src/wiring/lab.js'
import { recordingLog } from '../support/process/recording-log.js'

const servers = (drachtio: string, freeswitch: string) => ({
  DRACHTIO_URL: drachtio,
  FREESWITCH_URL: freeswitch,
})

describe('default secrets [C28]', () => {
  it.each([
    ['tcp://:cymru@192.0.2.1:9022', 'tcp://:better@127.0.0.1:8021', 'DRACHTIO_URL'],
    ['tcp://:better@127.0.0.1:9022', 'tcp://:ClueCon@192.0.2.1:8021', 'FREESWITCH_URL'],
    ['tcp://:c%79mru@signaling.test:9022', 'tcp://:better@127.0.0.1:8021', 'DRACHTIO_URL'],
    [
      'tcp://:better@127.0.0.1:9022,tcp://:cymru@192.0.2.1:9022',
      'tcp://:better@127.0.0.1:8021',
      'DRACHTIO_URL',
    ],
  ])('%s and %s are refused, and the secret is not shown', (drachtio, freeswitch, name) => {
    const read = () => readConfig(servers(drachtio, freeswitch))
    expect(read).toThrow(new RegExp(`^${name}: the default secret is refused`))
    expect(read).not.toThrow(/cymru|ClueCon|better/)
  })

  it('with a percent sign that is no escape are refused by the name of their setting', () => {
    const read = () => readConfig(servers('tcp://:s3cr%zz@signaling.test:9022', 'tcp://:b@h:8021'))
    expect(read).toThrow(/^DRACHTIO_URL: .*write %25/)
    expect(read).not.toThrow(/s3cr/)
  })

  it('serve on loopback, where nobody else is', () => {
    const config = readConfig(servers('tcp://:cymru@127.0.0.1:9022', 'tcp://:ClueCon@[::1]:8021'))
    expect(config.servers.type).toBe('real')
  })
})

describe('where the channels of FreeSWITCH connect back to', () => {
  const REAL = servers('tcp://:right@127.0.0.1:9022', 'tcp://:right@127.0.0.1:8021')
  const callbackOf = (env: Readonly<Record<string, string>>) => {
    const { servers: read } = readConfig({ ...REAL, ...env })
    return read.type === 'real' ? read.callback : undefined
  }

  it('is loopback, unless settings name another address', () => {
    expect(callbackOf({})).toEqual({ host: '127.0.0.1', advertisedHost: undefined })
    const env = { MEDIA_CALLBACK_HOST: '0.0.0.0', MEDIA_CALLBACK_ADDRESS: 'trunkline' }
    expect(callbackOf(env)).toEqual({ host: '0.0.0.0', advertisedHost: 'trunkline' })
  })

  it.each([
    [{ MEDIA_CALLBACK_HOST: '0.0.0.0' }, /^MEDIA_CALLBACK_ADDRESS: needed/],
    [{ MEDIA_CALLBACK_HOST: '::' }, /^MEDIA_CALLBACK_ADDRESS: needed/],
    [{ MEDIA_CALLBACK_HOST: 'trunkline' }, /^MEDIA_CALLBACK_HOST: /],
  ])('is not %j', (env, message) => {
    expect(() => callbackOf(env)).toThrow(message)
  })
})

describe('the networks of parties that reach FreeSWITCH inside', () => {
  const networksOf = (env: Readonly<Record<string, string>>) => {
    const real = servers('tcp://:right@127.0.0.1:9022', 'tcp://:right@127.0.0.1:8021')
    const { servers: read } = readConfig({ ...real, ...env })
    return read.type === 'real' ? read.localNetworks : undefined
  }

  it('are the private ones, or those that are named', () => {
    expect(networksOf({})).toContain('192.168.0.0/16')
    expect(networksOf({ LOCAL_NETWORKS: '' })).toEqual(networksOf({}))
    expect(networksOf({ LOCAL_NETWORKS: '192.0.2.0/24, 2001:db8::7' })).toEqual([
      ...['192.0.2.0/24', '2001:db8::7'],
    ])
  })

  it('are addresses and CIDRs', () => {
    expect(() => networksOf({ LOCAL_NETWORKS: 'lan' })).toThrow(/^LOCAL_NETWORKS: /)
  })
})

describe('how media servers come by files', () => {
  it('is a shared folder, unless it is said otherwise', () => {
    expect(readConfig({}).media).toEqual({ files: 'folder', recordingsDir: undefined })
    expect(readConfig({ MEDIA_FILES: 'http' }).media).toEqual({
      files: 'http',
      recordingsDir: '/var/tmp/trunkline',
    })
  })

  it.each([
    'recordings',
    '/with a space',
    '/up/../there',
    "/it's",
  ])('does not go by %j on the media server', (MEDIA_RECORDINGS_DIR) => {
    const read = () => readConfig({ MEDIA_FILES: 'http', MEDIA_RECORDINGS_DIR })
    expect(read).toThrow(/^MEDIA_RECORDINGS_DIR: must be an absolute path/)
  })
})

describe('several servers', () => {
  it('may have weights', () => {
    const urls = 'tcp://:a@127.0.0.1:1?weight=3,tcp://:a@127.0.0.1:2'
    expect(readConfig(servers('tcp://:a@127.0.0.1:9', urls)).servers).toMatchObject({
      freeswitch: urls.split(','),
    })
    const bad = servers('tcp://:a@127.0.0.1:9', 'tcp://:a@127.0.0.1:1?weight=0')
    expect(() => readConfig(bad)).toThrow(/^FREESWITCH_URL: the one parameter/)
  })
})

describe('what nobody may call', () => {
  it('is named by beginnings of numbers', () => {
    const { calls } = readConfig({ BLOCKED_PREFIXES: '+1900, +882' })
    expect(calls.blockedPrefixes).toEqual(['+1900', '+882'])
  })

  it.each(['1900', '+', '+0', '+19x'])('is not "%s"', (value) => {
    expect(() => readConfig({ BLOCKED_PREFIXES: value })).toThrow(/^BLOCKED_PREFIXES: /)
  })
})

describe('media relays', () => {
  it('are addresses and CIDRs', () => {
    const { mediaRelays } = readConfig({ MEDIA_RELAY_CIDRS: '203.0.113.9, 2001:db8::/48' })
    expect(mediaRelays).toEqual(['203.0.113.9', '2001:db8::/48'])
  })

  it.each(['relay.example.com', '203.0.113.0/33'])('are not "%s"', (value) => {
    expect(() => readConfig({ MEDIA_RELAY_CIDRS: value })).toThrow(/^MEDIA_RELAY_CIDRS: /)
  })
})

describe('the private ranges that are open', () => {
  it('are addresses and CIDRs', () => {
    const { allowedPrivateCidrs } = readConfig({ WEBHOOK_ALLOW_CIDRS: '10.0.0.5, fd00::/8' })
    expect(allowedPrivateCidrs).toEqual(['10.0.0.5', 'fd00::/8'])
    const judge = createAddressPolicy({ mode: 'public-only', allow: allowedPrivateCidrs })
    expect(['10.0.0.5', '10.0.0.6', 'fd00::1'].map((one) => judge(one).isAllowed)).toEqual([
      true,
      false,
      true,
    ])
  })

  it.each(['pbx.example.com', '10.0.0.0/33', '10/8'])('are not "%s"', (value) => {
    expect(() => readConfig({ WEBHOOK_ALLOW_CIDRS: value })).toThrow(/^WEBHOOK_ALLOW_CIDRS: /)
  })
})

describe('the rate of one source', () => {
  it.each(['0', '-1', '1.5', 'many'])('is no "%s"', (value) => {
    expect(() => readConfig({ SIP_SOURCE_RATE: value })).toThrow(/^SIP_SOURCE_RATE: /)
  })
})

describe('the headers of a signature', () => {
  it('are one, unless others are named', () => {
    const both = ['X-Compat-Signature', 'X-Twilio-Signature']
    expect(readConfig({}).signatureHeaders).toEqual(both)
    const two = readConfig({ WEBHOOK_SIGNATURE_HEADERS: 'X-Compat-Signature, X-My-Signature' })
    expect(two.signatureHeaders).toEqual(['X-Compat-Signature', 'X-My-Signature'])
  })

  it.each([
    'Host',
    'Content-Length',
    'X-',
    'X-A: b',
    'X-A B',
  ])('have no name such as "%s"', (name) => {
    expect(() => readConfig({ WEBHOOK_SIGNATURE_HEADERS: name })).toThrow(
      /^WEBHOOK_SIGNATURE_HEADERS: /,
    )
  })
})

describe("the headers of the signature of the registry's events", () => {
  it('are one, unless others are named, each with its form', () => {
    const own = { header: 'X-Trunkline-Signature', form: 'timestamped' }
    expect(readConfig({}).registrySignatures).toEqual([own])
    const named = 'X-Trunkline-Signature, X-My-Signature:hex,X-Other:base64'
    expect(readConfig({ REGISTRY_SIGNATURE_HEADERS: named }).registrySignatures).toEqual([
      own,
      { header: 'X-My-Signature', form: 'hex' },
      { header: 'X-Other', form: 'base64' },
    ])
  })

  it.each([
    'Host',
    'X-My-Signature:md5',
    'X-My-Signature:',
    'X-My-Signature:hex:hex',
    'X-A B:hex',
  ])('are none such as "%s"', (name) => {
    expect(() => readConfig({ REGISTRY_SIGNATURE_HEADERS: name })).toThrow(
      /^REGISTRY_SIGNATURE_HEADERS: /,
    )
  })
})

describe('DATABASE_URL', () => {
  const url = 'postgres://trunkline:s3cret@db.test:5433/calls'
  const read = (text: string) => () => readConfig({ DATABASE_URL: text })

  it('is taken as it is, and absent by default', () => {
    expect(read(`${url}?sslmode=verify-full&pool_size=40`)().database.url).toContain('db.test:5433')
    expect(readConfig({}).database.url).toBeUndefined()
  })

  it.each([
    [
      'mysql://trunkline:s3cret@db.test/calls',
      'must be postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    ],
    ['postgres://trunkline:s3cret@db.test', 'needs a user, a host and the name of a database'],
    ['postgres://trunkline:s3cret%zz@db.test/calls', 'write %25 for it'],
    [`${url}?sslmode=prefer`, 'unknown sslmode, not disable, require, verify-ca, verify-full'],
    [`${url}?sslrootcert=/not/there/ca.pem`, 'cannot be read: /not/there/ca.pem'],
    [`${url}?pool_size=1`, 'pool_size that is not 2 to 500'],
    [`${url}?poolsize=9`, 'unknown parameter poolsize'],
  ])('%s is refused, and its password is not shown', (text, problem) => {
    expect(read(text)).toThrow(/^DATABASE_URL: /)
    expect(read(text)).toThrow(problem)
    expect(read(text)).not.toThrow(/s3cret/)
  })
})

describe('SIP over TLS', () => {
  it('is off unless a certificate and its key are named', () => {
    expect(readConfig({}).sip.tls).toBeUndefined()
    const files = { cert: '/etc/sip/cert.pem', key: '/etc/sip/key.pem', ca: undefined }
    const env = { SIP_TLS_CERT: files.cert, SIP_TLS_KEY: files.key }
    expect(readConfig(env).sip.tls).toEqual({ files, port: 5061 })
    const more = { ...env, SIP_TLS_CA: '/etc/sip/ca.pem', SIP_TLS_PORT: '5099' }
    expect(readConfig(more).sip.tls).toEqual({
      files: { ...files, ca: '/etc/sip/ca.pem' },
      port: 5099,
    })
  })

  it.each([
    [{ SIP_TLS_CERT: 'c' }, /^SIP_TLS_KEY: needed because SIP_TLS_CERT is set$/],
    [{ SIP_TLS_KEY: 'k' }, /^SIP_TLS_CERT: needed because SIP_TLS_KEY is set$/],
    [{ SIP_TLS_CA: 'a' }, /^SIP_TLS_CERT: needed because SIP_TLS_CA is set\nSIP_TLS_KEY: /],
    [{ SIP_TLS_PORT: '70000' }, /^SIP_TLS_PORT: must be a port/],
  ])('with %o alone is refused', (env, problem) => {
    expect(() => readConfig(env)).toThrow(problem)
  })

  it('does not start with a file that cannot be used, and names its setting', async () => {
    const { log } = recordingLog()
    const config = readConfig({ SIP_TLS_CERT: '/nowhere/c.pem', SIP_TLS_KEY: '/nowhere/k.pem' })
    const checked = checkCertificate(config, log)
    await expect(checked).rejects.toThrow('SIP_TLS_CERT: /nowhere/c.pem does not exist')
    await expect(checked).rejects.toBeInstanceOf(ConfigError)
  })

  it('starts with a certificate that has expired, and warns', async () => {
    const { log, lines } = recordingLog()
    const file = (name: string) =>
      resolve(import.meta.dirname, `../fixtures/tls/expired.${name}.pem`)
    const config = readConfig({ SIP_TLS_CERT: file('cert'), SIP_TLS_KEY: file('key') })
    await checkCertificate(config, log)
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'the certificate of SIP over TLS has expired' },
    ])
  })
})

describe('what answers for the carriers that numbers are ported from', () => {
  it('is a simulation beside the lab, and the operator beside real servers', () => {
    const real = servers(
      'tcp://:cymru-secret@127.0.0.1:9022',
      'tcp://:better-secret@127.0.0.1:8021',
    )
    expect(readConfig({}).portCarrier).toBe('simulated')
    expect(readConfig(real).portCarrier).toBe('operator')
    expect(readConfig({ ...real, PORT_CARRIER: 'simulated' }).portCarrier).toBe('simulated')
    const PORT_CARRIER_URL = 'https://ports.example/v1'
    expect(readConfig({ ...real, PORT_CARRIER_URL, PORT_CARRIER_TOKEN: 't' }).portCarrier).toEqual({
      url: PORT_CARRIER_URL,
      token: 't',
    })
  })
})
