import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../process/free-port.js'
import { tempFolder } from '../process/temp-folder.js'
import { toneWav } from '../sound/wav-bytes.js'
import { waitUntil } from '../time/wait-until.js'
import type { Softphone } from './softphone.js'

const START_LIMIT_MS = 20_000
const WAV_HEAD_BYTES = 44

export interface Linphone extends Softphone {
  /** Types a command, such as `transfer 1 --to-call 2`. */
  command(text: string): void
}

/** The registered account: a user at a domain, with a server on loopback. */
export interface LinphoneAccount {
  /**
   * A user who registers over TCP or TLS must not register otherwise in the whole suite: until that
   * registration expires, a real drachtio sends calls for this user at any local phone over its connection.
   */
  readonly user: string
  readonly domain: string
  readonly password: string
  readonly transport: 'udp' | 'tcp' | 'tls'
  readonly port: number
  /** Authority of a TLS server. */
  readonly trusts?: { readonly certFile: string }
}

/** Starts Linphone's console on free loopback ports; its sound card is a pair of files. */
export async function startLinphone({
  toneHz,
  account,
}: {
  readonly toneHz: number
  readonly account?: LinphoneAccount
}): Promise<Linphone> {
  const folder = tempFolder()
  // RTCP uses the port after RTP.
  const sipPort = await freePort(3)
  const config = join(folder.path, 'linphonerc')
  const speaks = join(folder.path, 'speaks.wav')
  const hears = join(folder.path, 'hears.wav')
  const log = join(folder.path, 'log')
  // Linphone accepts no calls without a folder for its database.
  mkdirSync(join(folder.path, '.local/share/linphone'), { recursive: true })
  writeFileSync(speaks, toneWav(toneHz, 60))
  writeFileSync(config, configuration(sipPort, account))
  const child = spawn('linphonec', ['-c', config, '-a', '-d', '6', '-l', log], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], HOME: folder.path },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let screen = ''
  const keep = (chunk: Buffer) => {
    screen += chunk.toString('latin1')
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const say = (command: string) => {
    child.stdin.write(`${command}\n`)
  }
  const printed = () => (existsSync(log) ? readFileSync(log, 'latin1') : '') + screen
  await waitUntil('linphone is ready', () => screen.includes('linphonec>'), START_LIMIT_MS, printed)
  say('soundcard use files')
  say(`play ${speaks}`)
  say(`record ${hears}`)
  await waitUntil(
    'linphone takes commands',
    () => screen.split('linphonec>').length > 4,
    START_LIMIT_MS,
    printed,
  )
  return {
    sipPort,
    uri: `sip:linphone@127.0.0.1:${sipPort}`,
    command: say,
    dial: (uri) => {
      say(`call ${uri}`)
    },
    press: (digits) => {
      say(digits)
    },
    hold: () => {
      say('pause')
    },
    resume: () => {
      say('resume')
    },
    hangUp: () => {
      say('terminate')
    },
    printed,
    receives: () => Number([...printed().matchAll(/RTP : \[d=([\d.]+)/g)].at(-1)?.[1]) > 1,
    heard: () => {
      const bytes = existsSync(hears) ? readFileSync(hears).subarray(WAV_HEAD_BYTES) : Buffer.of()
      return Int16Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at))
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      }
      folder[Symbol.dispose]()
    },
  }
}

function configuration(sipPort: number, account: LinphoneAccount | undefined): string {
  return [
    '[sip]',
    `sip_port=${sipPort}`,
    'sip_tcp_port=-1',
    'sip_tls_port=-1',
    'bind_address=127.0.0.1',
    'use_ipv6=0',
    'guess_hostname=0',
    'contact=<sip:linphone@127.0.0.1>',
    ...(account === undefined ? [] : registering(account)),
    '[rtp]',
    `audio_rtp_port=${sipPort + 1}`,
    'bind_address=127.0.0.1',
    '[net]',
    'firewall_policy=0',
    '[video]',
    'enabled=0',
    '[sound]',
    'echocancellation=0',
    '',
  ].join('\n')
}

/** The account in Linphone's file format; the text continues in the section `[sip]`. */
function registering({ user, domain, password, transport, port, trusts }: LinphoneAccount) {
  // Its TLS checks names in certificates, not addresses.
  const host = transport === 'tls' ? 'localhost' : '127.0.0.1'
  const server = `<sip:${host}:${port};transport=${transport}>`
  return [
    'default_proxy=0',
    ...(trusts === undefined ? [] : [`root_ca=${trusts.certFile}`]),
    '[auth_info_0]',
    `username=${user}`,
    `passwd=${password}`,
    `domain=${domain}`,
    `realm=${domain}`,
    '[proxy_0]',
    `reg_proxy=${server}`,
    `reg_route=${server}`,
    `reg_identity=sip:${user}@${domain}`,
    'reg_expires=60',
    'reg_sendregister=1',
    'publish=0',
  ]
}
