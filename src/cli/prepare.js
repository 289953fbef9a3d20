/**
 * Runs before every command, also on a machine without any packages: plain JavaScript without dependencies.
 * Installs the npm packages after a change of the lockfile, and builds after a change of the sources. For the
 * tests, the torture run and the detector's benchmark it also installs Debian packages.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../..', import.meta.url).pathname
const MIN_NODE = [20, 19]
/** Debian packages per purpose, each with a command that succeeds once the package is installed. */
const DEBIAN_PACKAGES = {
  test: {
    'sip-tester': 'command -v sipp',
    'baresip-core': 'command -v baresip',
    'linphone-cli': 'command -v linphonec',
    openssl: 'command -v openssl',
    tshark: 'command -v tshark',
    'python3-twilio': "/usr/bin/python3 -c 'import twilio'",
    // Debian installs the server's programs outside of the PATH.
    postgresql: 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb',
  },
  torture: { sipvicious: 'command -v svmap' },
  'bench:amd': {
    'espeak-ng': 'command -v espeak-ng',
    flite: 'command -v flite',
    sox: 'command -v sox',
  },
}

const purpose = process.argv[2] ?? 'start'
requireNode()
installNpmPackages()
build()
installDebianPackages(DEBIAN_PACKAGES[purpose] ?? {})

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return
  stop(`trunkline needs Node ${MIN_NODE.join('.')} or newer; this is ${process.versions.node}.`)
}

function installNpmPackages() {
  const stamp = join(ROOT, 'node_modules/.trunkline-lock')
  const lock = digest([join(ROOT, 'package-lock.json')])
  if (readOr(stamp) === lock) return
  say('installing npm packages (better-sqlite3 compiles, about a minute) …')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci failed')
  writeFileSync(stamp, lock)
}

function build() {
  const stamp = join(ROOT, 'dist/.built-from')
  const sources = digest([
    ...files(join(ROOT, 'src')),
    join(ROOT, 'tsconfig.json'),
    join(ROOT, 'tsconfig.build.json'),
    // The bundled programs contain the packages.
    join(ROOT, 'package-lock.json'),
  ])
  if (readOr(stamp) === sources) return
  say('building …')
  // Built in a new folder, so that the last complete build stays usable meanwhile.
  const output = join(ROOT, 'dist.new')
  rmSync(output, { recursive: true, force: true })
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', output]
  run(process.execPath, args, 'the build failed')
  copyAssets(output)
  const bundler = join(ROOT, 'src/cli/bundle.js')
  run(process.execPath, [bundler, output], 'the build failed')
  chmodSync(join(output, 'cli/trunkline.js'), 0o755)
  writeFileSync(join(output, '.built-from'), sources)
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
  renameSync(output, join(ROOT, 'dist'))
}

/**
 * Copies the files that the code loads at run time: everything below src except TypeScript and
 * JavaScript.
 */
function copyAssets(output) {
  for (const file of files(join(ROOT, 'src'))) {
    if (/\.(ts|js)$/.test(file)) continue
    const target = file.replace(join(ROOT, 'src'), output)
    mkdirSync(join(target, '..'), { recursive: true })
    cpSync(file, target)
  }
}

function installDebianPackages(packages) {
  const missing = Object.entries(packages)
    .filter(([, check]) => spawnSync('sh', ['-c', check]).status !== 0)
    .map(([name]) => name)
  if (missing.length === 0) return
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`
  const isRoot = process.getuid?.() === 0
  const hasSudo = spawnSync('sh', ['-c', 'command -v sudo && sudo -n true']).status === 0
  if (spawnSync('sh', ['-c', 'command -v apt-get']).status !== 0 || !(isRoot || hasSudo)) {
    stop(
      `npm run ${purpose} needs ${missing.join(' and ')}. Install them, for example:\n  sudo sh -c '${command}'`,
    )
  }
  say(`installing ${missing.join(' and ')} …`)
  const shell = isRoot ? ['sh', ['-c', command]] : ['sudo', ['-n', 'sh', '-c', command]]
  const done = spawnSync(shell[0], shell[1], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (done.status !== 0)
    stop(
      `could not install ${missing.join(' and ')}:\n${done.stdout}${done.stderr}\nRun: ${command}`,
    )
}

function files(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort()
}

function digest(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path.slice(ROOT.length)).update(readFileSync(path))
  return hash.digest('hex')
}

function readOr(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function run(command, args, failure) {
  const done = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  if (done.status !== 0) stop(`${failure} (exit ${done.status ?? done.signal}).`)
}

function say(text) {
  process.stderr.write(`trunkline: ${text}\n`)
}

function stop(text) {
  say(text)
  process.exit(1)
}
