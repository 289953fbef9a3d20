// Runs one PostgreSQL server on a free port, with a new data folder, for the process that started this
// one. It prints one line of JSON, {"port", "pid", "folder"} or {"reason"}. The line "start" on standard
// input starts a server that was killed, on the same port and data, and prints such a line again. The end
// of standard input, which comes however that process ends, stops the server and removes the folder.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const START_LIMIT_MS = 30_000
/** What the server prints once it takes connections. */
const READY = 'database system is ready to accept connections'
const MAX_STARTS = 5
const DEBIAN = '/usr/lib/postgresql'
const [parentFolder, ...settings] = process.argv.slice(2)

let folder
let running
let port

// The signals of a terminal reach the whole group: this process ends after its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
// Nobody reads the answers of a parent that has ended.
process.stdout.on('error', () => undefined)
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  if (line === 'start') tell(start)
})
lines.on('close', () => {
  running?.kill('SIGQUIT')
  const isOver = () =>
    running === undefined || running.exitCode !== null || running.signalCode !== null
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    process.exit()
  }
  if (isOver()) remove()
  else running.once('exit', remove)
})
tell(create)

async function tell(work) {
  try {
    await work()
    say({ port, pid: running.pid, folder })
  } catch (error) {
    say({ reason: error.message })
  }
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

async function create() {
  const bin = binaries()
  folder = mkdtempSync(join(parentFolder || tmpdir(), 'trunkline-postgres-'))
  const user = ordinaryUser()
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  // The order of texts is that of a language, as on many servers: what rests on the order of bytes fails.
  const order = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data(), '-U', 'trunkline', '--auth=trust', '--no-sync', '--encoding=UTF8', ...order],
    { cwd: folder, encoding: 'utf8', ...user },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
  for (let starts = 1; ; starts += 1) {
    port = await freePort()
    try {
      await start()
      return
    } catch (error) {
      // Another process may have taken the port since.
      if (starts >= MAX_STARTS || !/could not create any TCP\/IP sockets/.test(error.message))
        throw error
    }
  }
}

function data() {
  return join(folder, 'data')
}

/** Resolves once the server takes connections. */
function start() {
  // A killed server leaves its lock file, whose process id another process may have by now.
  rmSync(join(data(), 'postmaster.pid'), { force: true })
  const args = [
    ...['-D', data(), '-p', String(port)],
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings].flatMap(
      (setting) => ['-c', setting],
    ),
  ]
  const server = spawn(join(binaries(), 'postgres'), args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own: a signal of the terminal would stop it before its clients.
    detached: true,
    ...ordinaryUser(),
  })
  running = server
  return new Promise((resolve, reject) => {
    let printed = ''
    // Clients that try again all the while fill what is kept before the server is ready.
    let last = ''
    const limit = setTimeout(() => {
      server.kill('SIGKILL')
      reject(new Error(`postgres did not start in ${START_LIMIT_MS / 1_000} s:\n${printed}`))
    }, START_LIMIT_MS)
    server.stderr.on('data', (chunk) => {
      if (printed.length < 20_000) printed += chunk
      last = (last + chunk).slice(-READY.length - chunk.length)
      if (!last.includes(READY)) return
      clearTimeout(limit)
      resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => {
      clearTimeout(limit)
      reject(new Error(`postgres ended with ${code}:\n${printed}`))
    })
  })
}

/** The folder of PostgreSQL's own programs: Debian keeps them out of the PATH. */
function binaries() {
  const found = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' })
  if (found.status === 0) return join(found.stdout.trim(), '..')
  const [newest] = versions().sort((a, b) => Number(b) - Number(a))
  if (newest === undefined)
    throw new Error(
      'there is no PostgreSQL server: install one, for example `apt-get install postgresql`',
    )
  return join(DEBIAN, newest, 'bin')
}

function versions() {
  try {
    return readdirSync(DEBIAN)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

/** PostgreSQL refuses to run as root: it runs as the user that its package has made. */
function ordinaryUser() {
  if (process.getuid() !== 0) return {}
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres')
  if (entry === undefined) throw new Error('there is no user `postgres` to run PostgreSQL as')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** A port below the range that the kernel uses for outgoing connections. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', () => freePort().then(resolve, reject))
    const wanted = 6_000 + Math.floor(Math.random() * 1_900)
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(wanted)))
  })
}
