import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../process/free-port.js'
import { tempFolder } from '../process/temp-folder.js'
import { RATE } from '../sound/tone.js'
import type { Softphone } from './softphone.js'

const MODULES = '/usr/lib/baresip/modules'
/** Codec names; with an unknown name baresip would offer all its codecs. */
const CODECS = { PCMU: 'PCMU/8000/1', G722: 'G722/16000/1', opus: 'opus/48000/2' } as const
const START_LIMIT_MS = 20_000

/**
 * Baresip with a tone as its microphone; received audio is stored in a file until it first puts the call on
 * hold.
 */
export interface Baresip extends Softphone {
  /** Sends a command by its menu name: `dial`, `sndcode`, `hangup`, … */
  command(name: string, params?: string): void
}

/** Starts a softphone on free loopback ports; it answers every call at once. */
export async function startBaresip(
  options: {
    readonly toneHz?: number
    /** Its only codec; by default G.711. */
    readonly codec?: keyof typeof CODECS
    /** Media encryption: `srtp` offers keys with plain RTP, `srtp-mand` SRTP only. */
    readonly mediaEncryption?: 'srtp' | 'srtp-mand'
    /** Authority of the TLS servers that it trusts. */
    readonly trusts?: { readonly certFile: string }
    /** Its account, as a line of its `accounts` file; by default it does not register. */
    readonly account?: string
  } = {},
): Promise<Baresip> {
  const folder = tempFolder()
  const sipPort = await freePort(3)
  // baresip uses the port after the SIP port for TLS.
  const controlPort = sipPort + 2
  const dump = join(folder.path, 'heard')
  mkdirSync(dump)
  writeFileSync(
    join(folder.path, 'config'),
    [
      `sip_listen 127.0.0.1:${sipPort}`,
      `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
      `audio_source ausine,${options.toneHz ?? 500}`,
      'audio_player aubridge,none',
      // The tone generator supports only this rate and this number of channels.
      'ausrc_srate 48000',
      'ausrc_channels 2',
      'net_interface 127.0.0.1',
      'rtp_timeout 0',
      ...(options.trusts === undefined ? [] : [`sip_cafile ${options.trusts.certFile}`]),
      `module_path ${MODULES}`,
      ...['g711', 'g722', 'opus', 'ausine', 'aubridge', 'sndfile', 'srtp'].map(
        (name) => `module ${name}.so`,
      ),
      ...['account', 'menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
      `snd_path ${dump}`,
      '',
    ].join('\n'),
  )
  writeFileSync(
    join(folder.path, 'accounts'),
    `${options.account ?? '<sip:baresip@127.0.0.1>;regint=0'};answermode=auto;audio_codecs=${
      CODECS[options.codec ?? 'PCMU']
    }${options.mediaEncryption === undefined ? '' : `;mediaenc=${options.mediaEncryption}`}\n`,
  )
  writeFileSync(join(folder.path, 'contacts'), '')
  const child = spawn('baresip', ['-f', folder.path, '-4', '-s'], {
    cwd: folder.path,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  const keep = (chunk: Buffer) => {
    printed += chunk.toString('latin1')
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const control = await connected(controlPort, () => printed)
  if (printed.includes('codec not found')) throw new Error(printed)
  control.on('data', keep)
  const command: Baresip['command'] = (name, params) => {
    const text = JSON.stringify({ command: name, ...(params === undefined ? {} : { params }) })
    control.write(`${Buffer.byteLength(text)}:${text},`)
  }
  return {
    uri: `sip:baresip@127.0.0.1:${sipPort}`,
    sipPort,
    command,
    dial: (uri) => {
      command('dial', uri)
    },
    press: (digits) => {
      for (const digit of digits) command('sndcode', digit)
    },
    hold: () => {
      command('hold')
    },
    resume: () => {
      command('resume')
    },
    hangUp: () => {
      command('hangup')
    },
    printed: () => printed,
    receives: () => Number([...printed.matchAll(/audio=\d+\/(\d+) /g)].at(-1)?.[1]) > 0,
    heard: () => samplesIn(dump),
    [Symbol.asyncDispose]: async () => {
      control.destroy()
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      }
      folder[Symbol.dispose]()
    },
  }
}

/** Connects to the control port, which opens some time after the process starts. */
async function connected(port: number, printed: () => string): Promise<Socket> {
  const end = performance.now() + START_LIMIT_MS
  for (;;) {
    const socket = createConnection(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return socket
    } catch (cause) {
      socket.destroy()
      if (performance.now() > end)
        throw new Error(`baresip did not start:\n${printed()}`, { cause })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Audio of the decoder's dump, a WAV file with a plain header, as one channel of 8 kHz. */
function samplesIn(folder: string): Int16Array {
  const name = readdirSync(folder).find((file) => file.endsWith('dec.wav'))
  if (name === undefined) return new Int16Array()
  const file = readFileSync(join(folder, name))
  if (file.length < 44) return new Int16Array()
  const bytes = file.subarray(44)
  const step = file.readUInt16LE(22) * (file.readUInt32LE(24) / RATE)
  const length = Math.floor(bytes.length / 2 / step)
  return Int16Array.from({ length }, (_, index) => bytes.readInt16LE(2 * index * step))
}
