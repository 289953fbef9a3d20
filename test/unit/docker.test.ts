/** The files of docker/, freeswitch-conf/ and dialplans/ fit together, and with what the adapter needs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { XMLParser } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  callSteps,
  composeArguments,
  inboundCallSteps,
} from '../../src/cli/stack/compose-arguments.js'
import { readConfig } from '../../src/config.js'
import { DIALPLAN_VARIABLES } from '../../src/lab/lab-servers.js'
import { channelDefaultsCommand } from '../../src/voice/telephony/freeswitch/command-builder.js'
import { NEEDED_MODULES } from '../../src/voice/telephony/needed-modules.js'
import { SIP_PROFILE } from '../../src/voice/telephony/sip-profile.js'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface Service {
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks?: { readonly telephony: { readonly ipv4_address: string } }
  readonly network_mode?: string
  readonly extra_hosts?: readonly string[]
}

/** What docker/.env.example sets. */
const EXAMPLE = Object.fromEntries(
  [...read('docker/.env.example').matchAll(/^(\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
)
const ENV: Readonly<Record<string, string>> = {
  ...EXAMPLE,
  DRACHTIO_SECRET: 'd'.repeat(32),
  EVENT_SOCKET_PASSWORD: 'e'.repeat(32),
  ADMIN_TOKEN: 'a'.repeat(32),
  SIP_BIND_IP: '192.0.2.10',
  SIP_ADVERTISED_IP: '203.0.113.10',
  RTP_BIND_IP: '192.0.2.10',
  RTP_ADVERTISED_IP: '203.0.113.10',
  PUBLIC_URL: 'https://voice.example.com',
}

/** `${NAME:-default}` and `${NAME:?message}`, as compose reads them. */
const filled = (text: string) =>
  text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind?: string, rest?: string) =>
      ENV[name] ?? (kind === '-' ? (rest ?? '') : ''),
  )
/** Production takes keys away by a tag that is compose's own. */
const withoutResets = (text: string) => text.replaceAll(/^ +\w+: !reset.*\n/gm, '')

const servicesOf = (file: string) =>
  (parse(filled(withoutResets(read(file)))) as { services: Readonly<Record<string, Service>> })
    .services
const base = servicesOf('docker/compose.yaml')
const production = servicesOf('docker/compose.production.yaml')

function service(name: string): Service {
  const found = base[name]
  if (found === undefined) throw new Error(`${name} is no service`)
  return found
}
const addressOf = (name: string) => service(name).networks?.telephony.ipv4_address

/** The order of keys is ours. Images that are built have a name too; others are named in docker/.env. */
const OURS = [
  ...['no-build-and-image', 'service-image-require-explicit-tag', 'require-project-name-field'],
  ...['require-quotes-in-ports', 'service-keys-order', 'service-ports-alphabetical-order'],
  ...['services-alphabetical-order', 'top-level-properties-order'],
  'service-dependencies-alphabetical-order',
]
/** The package's own types name their files in a way that this project cannot follow. */
interface ComposeLinter {
  lintFiles(paths: string[], isRecursive: boolean): { readonly messages: readonly unknown[] }[]
}
const Linter = DCLinter as unknown as new (config: object) => ComposeLinter
const linter = new Linter({
  rules: Object.fromEntries(OURS.map((name) => [name, 0])),
  quiet: true,
  debug: false,
  exclude: [],
})

it.each([
  'compose.yaml',
  'compose.production.yaml',
])('%s holds to the schema of compose', (file) => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-compose-'))
  try {
    const path = join(folder, file)
    writeFileSync(path, withoutResets(read(`docker/${file}`)))
    // As `docker compose config` would, one document at a time.
    const [result] = linter.lintFiles([path], false)
    expect(result?.messages ?? []).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it.each(['Dockerfile', 'sipp.Dockerfile'])('%s has no fault, a pinned base and a user', (file) => {
  const text = read(`docker/${file}`)
  expect(validate(text)).toEqual([])
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  for (const image of bases) expect(image).toMatch(/:[\w.-]*(\d|bookworm)/)
  expect([...text.matchAll(/^USER (\S+)/gm)].at(-1)?.[1]).toMatch(/^(trunkline|nobody)$/)
})

it('copies into its context what the Dockerfile copies', () => {
  const kept = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  const copied = [...read('docker/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
    .flatMap(([, names = '']) => names.split(' '))
    .map((name) => `!${name.replace('./', '')}`)
  expect(copied.toSorted()).toEqual(kept.toSorted())
})

it('pins every image that it does not build', () => {
  const images = Object.values(base).map(({ image }) => image ?? '')
  const foreign = images.filter((image) => !image.endsWith(':local'))
  expect(foreign).toHaveLength(6)
  for (const image of foreign) expect(image).toMatch(/:v?\d+(\.\d+)+/)
})

it('gives no secret a default', () => {
  for (const name of ['DRACHTIO_SECRET', 'EVENT_SOCKET_PASSWORD', 'ADMIN_TOKEN']) {
    expect(read('docker/compose.yaml')).toContain(`\${${name}:?`)
    expect(read('docker/.env.example')).toContain(`${name}=\n`)
  }
})

it('tells trunkline where the servers are, and them where trunkline is', () => {
  const { environment = {} } = service('trunkline')
  const config = readConfig(environment)
  expect(config.servers).toMatchObject({
    type: 'real',
    drachtio: [`tcp://:${ENV['DRACHTIO_SECRET']}@${addressOf('drachtio')}:9022`],
    freeswitch: [`tcp://:${ENV['EVENT_SOCKET_PASSWORD']}@${addressOf('freeswitch')}:8021`],
    callback: { host: addressOf('trunkline'), advertisedHost: undefined },
  })
  expect(service('drachtio').environment?.['DRACHTIO_SECRET']).toBe(ENV['DRACHTIO_SECRET'])
  expect(service('drachtio').command).toContain(
    `sip:${addressOf('drachtio')}:5060;transport=udp,tcp`,
  )
  expect(service('freeswitch').environment).toMatchObject({
    EVENT_SOCKET_IP: addressOf('freeswitch'),
    EVENT_SOCKET_PASSWORD: ENV['EVENT_SOCKET_PASSWORD'],
    MEDIA_SIP_IP: addressOf('freeswitch'),
    RTP_IP: addressOf('freeswitch'),
  })
})

it('in production keeps every control port on loopback', () => {
  const environment = {
    ...service('trunkline').environment,
    ...production['trunkline']?.environment,
  }
  const config = readConfig(environment)
  expect(config.admin.host).toBe('127.0.0.1')
  expect(config.servers).toMatchObject({
    drachtio: [expect.stringContaining('@127.0.0.1:9022')],
    freeswitch: [expect.stringContaining('@127.0.0.1:8021')],
    callback: { host: '127.0.0.1' },
  })
  expect(production['freeswitch']?.environment).toMatchObject({
    EVENT_SOCKET_IP: '127.0.0.1',
    MEDIA_SIP_IP: '127.0.0.1',
    EXT_RTP_IP: ENV['RTP_ADVERTISED_IP'],
    TRUSTED_CIDR: '127.0.0.0/8',
  })
  const { command = [] } = production['drachtio'] ?? {}
  expect(command[command.indexOf('--address') + 1]).toBe('127.0.0.1')
  for (const { network_mode } of Object.values(production)) expect(network_mode).toBe('host')
})

it('gives FreeSWITCH only variables that its configuration reads', () => {
  const text = read('freeswitch-conf/freeswitch.xml')
  const known = [...text.matchAll(/cmd="env-set" data="\w+=\$(\w+)"/g)].map(([, name]) => name)
  const given = [service('freeswitch'), production['freeswitch']].flatMap((each) =>
    Object.keys(each?.environment ?? {}),
  )
  for (const name of given) expect(known).toContain(name)
})

it('gives FreeSWITCH the profile, context, modules and folders that the adapter needs', () => {
  const configuration = read('freeswitch-conf/freeswitch.xml')
  expect(configuration).toContain(`<profile name="${SIP_PROFILE}">`)
  const context = /<param name="context" value="(\w+)"/.exec(configuration)?.[1] ?? ''
  expect(read('dialplans/media-endpoint.xml')).toContain(`<context name="${context}">`)
  const modules = [...configuration.matchAll(/<load module="(\w+)"/g)].map(([, name]) => name)
  expect(modules).toEqual(expect.arrayContaining(['mod_event_socket', ...NEEDED_MODULES]))
  const { command = [], volumes = [] } = service('freeswitch')
  const folder = command[command.indexOf('-conf') + 1] ?? ''
  expect(volumes).toContain(`../freeswitch-conf:${folder}:ro`)
  // The configuration includes ../dialplans, seen from its own folder.
  expect(volumes).toContain(`../dialplans:${join(folder, '../dialplans')}:ro`)
  // A file has one path in both.
  expect(volumes).toContain('data:/data')
  expect(service('trunkline').volumes).toContain('data:/data')
})

it('has FreeSWITCH play nothing to a held party: its own music needs a module that is not loaded', () => {
  const configuration = read('freeswitch-conf/freeswitch.xml')
  expect(configuration).not.toContain('mod_local_stream"')
  // FreeSWITCH takes local_stream://moh unless a variable, of the channel or of all, names another one.
  expect(configuration).toContain('data="hold_music=silence"')
})

it('sets the variables of a channel in one action, and the same as the lab', () => {
  const actions = [...read('dialplans/media-endpoint.xml').matchAll(/"multiset" data="([^"]+)"/g)]
  const [, timeout = ''] =
    /data="media_timeout_ms=(\d+)"/.exec(read('freeswitch-conf/freeswitch.xml')) ?? []
  const assignments = actions.flatMap(([, data = '']) =>
    data.replace('$${media_timeout_ms}', timeout).split(' '),
  )
  expect(actions).toHaveLength(1)
  expect(Object.fromEntries(assignments.map((each) => each.split('=')))).toEqual(DIALPLAN_VARIABLES)
  // The adapter has nothing to add.
  const valueOf = (name: string) => DIALPLAN_VARIABLES[name] ?? null
  expect(channelDefaultsCommand('11111111-2222-3333-4444-555555555555', valueOf)).toBeUndefined()
})

it('has a drachtio file that drachtio can read', () => {
  const parser = new XMLParser({ ignoreAttributes: false })
  const { drachtio } = parser.parse(read('docker/drachtio.conf.xml')) as {
    drachtio: { readonly admin: Readonly<Record<string, unknown>> }
  }
  expect(drachtio.admin).toMatchObject({ '@_port': '9022', '#text': '0.0.0.0' })
  expect(service('drachtio').volumes).toContain('./drachtio.conf.xml:/etc/drachtio.conf.xml:ro')
})

it('hands every setting of the bucket on to trunkline', () => {
  const settings = [...read('README.md').matchAll(/`(FILES_(?!CACHE)\w+)`/g)].map(
    ([, name]) => name,
  )
  const given = Object.keys(service('trunkline').environment ?? {})
  expect(given).toEqual(expect.arrayContaining([...new Set(settings)]))
})

it('shares a folder, as its FreeSWITCH has no mod_http_cache', () => {
  const { environment = {} } = service('trunkline')
  expect(readConfig(environment).media.files).toBe('folder')
  const isLoaded = read('freeswitch-conf/freeswitch.xml')
    .replaceAll(/<!--[^]*?-->/g, '')
    .includes('mod_http_cache"')
  expect(isLoaded).toBe(false)
  expect(read('docs/docker.md')).toContain('mod_http_cache')
})

it('has the sounds that its dialplan plays', () => {
  const dialplan = read('dialplans/media-endpoint.xml')
  const sounds = [...dialplan.matchAll(/\$\$\{conf_dir\}\/([\w/.-]+)/g)].map(([, path]) => path)
  expect(sounds).toEqual(['sounds/call-cannot-go-on.wav'])
  for (const path of sounds) {
    const wav = readFileSync(new URL(`../../freeswitch-conf/${path ?? ''}`, import.meta.url))
    // RIFF with µ-law (format 7), one channel, 8 kHz: it is played as it is.
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF')
    expect([wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([7, 1, 8000])
  }
})

it('places its call with addresses of the stack', () => {
  const words = callSteps().flat()
  expect(words).toContain(`sip:callee@${addressOf('sipp-callee')}:5060`)
  expect(words).toContain(`http://${addressOf('echo-app')}:3000/`)
})

it('has its phone call in from the address, and to the number, that it makes known', () => {
  const words = inboundCallSteps().flat()
  const address = addressOf('sipp-caller')
  expect(words).toEqual(expect.arrayContaining([address, `${address ?? ''}/32`]))
  expect(words).toContain(`http://${addressOf('echo-app')}:3000/`)
  const { command = [] } = service('sipp-caller')
  expect(command[command.indexOf('-i') + 1]).toBe(address)
  expect(command.at(-1)).toBe(`${addressOf('drachtio')}:5060`)
  expect(words).toContain(command[command.indexOf('-s') + 1])
})

it('gives each service an address of its own', () => {
  const addresses = Object.keys(base).map(addressOf)
  expect(new Set(addresses).size).toBe(addresses.length)
})

it('names the bucket of its store as trunkline takes it', () => {
  const example = read('docker/.env.example')
  const [, bucket = ''] = /^#(?=FILES_BUCKET=http:)FILES_BUCKET=(\S+)$/m.exec(example) ?? []
  expect(new URL(bucket).hostname).toBe(addressOf('store'))
  const name = service('store').environment?.['COM_ADOBE_TESTING_S3MOCK_STORE_INITIAL_BUCKETS']
  expect(new URL(bucket).pathname).toBe(`/${name ?? ''}`)
  const key = { FILES_REGION: 'us-east-1', FILES_ACCESS_KEY_ID: 'test' }
  const config = readConfig({ FILES_BUCKET: bucket, ...key, FILES_SECRET_ACCESS_KEY: 'test' })
  expect(config.bucket).toMatchObject({ bucket })
})

it('has Prometheus read the private listener, and Grafana read Prometheus', () => {
  const scrape = read('docker/monitoring/prometheus.yaml')
  const { port } = readConfig(service('trunkline').environment ?? {}).admin
  expect(scrape).toContain(`- trunkline:${port}\n`)
  expect(scrape).toContain('credentials_file: /run/secrets/admin-token\n')
  expect(read('docker/monitoring/datasource.yaml')).toContain('url: http://prometheus:9090\n')
  // On the host's network a name of the stack is the host itself.
  expect(production['prometheus']?.extra_hosts).toEqual(['trunkline:127.0.0.1'])
  expect(production['grafana']?.extra_hosts).toEqual(['prometheus:127.0.0.1'])
  expect(production['prometheus']?.command).toContain('--web.listen-address=127.0.0.1:9090')
  expect(production['grafana']?.environment?.['GF_SERVER_HTTP_ADDR']).toBe('127.0.0.1')
})

it('starts what was asked for', () => {
  const start = ['compose', '--env-file', 'docker/.env', '--file', 'docker/compose.yaml']
  expect(composeArguments({}, ['up'])).toEqual([...start, '--profile', 'phones', 'up'])
  expect(composeArguments({ production: true, postgres: true }, ['down'])).toEqual([
    ...start,
    ...['--file', 'docker/compose.production.yaml', '--profile', 'postgres', 'down'],
  ])
  expect(composeArguments({ monitoring: true }, ['up'])).toEqual([
    ...start,
    ...['--profile', 'phones', '--profile', 'monitoring', 'up'],
  ])
})
