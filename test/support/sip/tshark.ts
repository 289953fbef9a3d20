import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A packet as Wireshark reads it. */
export interface ReadPacket {
  readonly source: string
  readonly target: string
  /** The method or status line. */
  readonly summary: string
  readonly callId: string
  readonly cseq: string
}

const FIELDS = ['ip.src', 'ipv6.src', 'udp.srcport', 'ip.dst', 'ipv6.dst', 'udp.dstport']
const SIP_FIELDS = ['sip.Method', 'sip.Status-Line', 'sip.Call-ID', 'sip.CSeq']

/** Reads a capture with Debian's tshark. Throws when a packet is malformed or has a wrong checksum. */
export async function readCapture(path: string): Promise<readonly ReadPacket[]> {
  const checks = ['-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE']
  const faults = await tshark(
    '-r',
    path,
    ...checks,
    '-Y',
    '_ws.malformed || _ws.expert.severity == "Error"',
  )
  if (faults !== '') throw new Error(`malformed packets:\n${faults}`)
  const fields = [...FIELDS, ...SIP_FIELDS].flatMap((name) => ['-e', name])
  const out = await tshark('-r', path, '-T', 'fields', ...fields)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ip4 = '', ip6 = '', port = '', to4 = '', to6 = '', toPort = '', ...sip] =
        line.split('\t')
      const [method = '', status = '', callId = '', cseq = ''] = sip
      return {
        source: `${ip4}${ip6} ${port}`,
        target: `${to4}${to6} ${toPort}`,
        summary: method === '' ? status : method,
        callId,
        cseq,
      }
    })
}

async function tshark(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('tshark', args, { timeout: 60_000 })
  return stdout
}
