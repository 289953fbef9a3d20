import { connect } from 'node:net'

/** Runs one `api` command on its own connection; resolves with the answer. */
export async function eslApi(url: string, command: string): Promise<string> {
  const { hostname, port, password } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    socket.setEncoding('utf8')
    socket.write(`auth ${decodeURIComponent(password)}\n\napi ${command}\n\n`)
    let text = ''
    for await (const chunk of socket) {
      text += String(chunk)
      const [, length, rest] = /api\/response\nContent-Length: (\d+)\n\n([^]*)$/.exec(text) ?? []
      if (rest !== undefined && Buffer.byteLength(rest) >= Number(length)) return rest
    }
    throw new Error(`no answer to ${command}: ${text}`)
  } finally {
    socket.destroy()
  }
}
