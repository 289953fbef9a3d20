// Runs one PostgreSQL server on a free port, with a new data folder, for its parent process. It prints one line
// of JSON, {"port", "pid", "folder"} or {"reason"}. The line "start" on standard input restarts a killed server
// on the same port and data, and prints such a line again. The end of standard input, which follows any end of
// the parent, stops the server and removes the folder.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const START_LIMIT_MS = 30_000
/** Log text of the server once it accepts connections. */
const READY = 'database system is ready to accept connections'
const MAX_STARTS = 5
const DEBIAN = '/usr/lib/postgresql'
const [parentFolder, ...settings] = process.argv.slice(2)

let folder
let running
let port

// Terminal signals reach the whole process group; this process must end after its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
// An exited parent reads no output.
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
  // Texts sort by language, as on many servers, so code that relies on byte order fails its tests.
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
      // Another process may have taken the port meanwhile.
      if (starts >= MAX_STARTS || !/could not create any TCP\/IP sockets/.test(error.message))
        throw error
    }
  }
}

function data() {
  return join(folder, 'data')
}

/** Resolves once the server accepts connections. */
function start() {
  // A killed server leaves its lock file, whose process id may belong to another process by now.
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
    // A separate process group: a terminal signal would stop the server before its clients.
    detached: true,
    ...ordinaryUser(),
  })
  running = server
  return new Promise((resolve, reject) => {
    let printed = ''
    // `printed` is limited, and retrying clients may fill it before the server is ready.
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

/** Folder of PostgreSQL's programs; Debian installs them outside of the PATH. */
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

/** PostgreSQL refuses to run as root, so it runs as the user created by its package. */
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
