/** Runs what the Dockerfile does, without an engine: its own lines, in clean folders. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ImageStage, readDockerfile } from '../support/process/dockerfile.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = realpathSync(join(ROOT, 'node_modules'))
/** The user of the image; the process has it where the tests may choose. */
const UID = 10_001
const isRoot = process.getuid?.() === 0
const LIMIT_MS = 60_000

const [build, image] = readDockerfile(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')) as [
  ImageStage,
  ImageStage,
]
/** The root of each stage. The first is beside the packages, which it links. */
let buildRoot: string
let imageRoot: string

beforeAll(() => {
  buildRoot = mkdtempSync(join(MODULES, '.image-'))
  imageRoot = mkdtempSync(join(tmpdir(), 'trunkline-image-'))
  execFileSync('chmod', ['755', imageRoot])
  makeBuild()
  makeImage()
}, 300_000)
afterAll(async () => {
  await rm(buildRoot, { recursive: true, force: true })
  await rm(imageRoot, { recursive: true, force: true })
})

const under = (root: string, { workdir }: ImageStage, path: string) =>
  path.startsWith('/') ? join(root, path) : join(root, workdir, path)

function makeBuild(): void {
  const folder = under(buildRoot, build, '.')
  mkdirSync(folder, { recursive: true })
  for (const { sources, target } of build.copies)
    for (const source of sources) {
      const into = under(buildRoot, build, target)
      cpSync(join(ROOT, source), target.endsWith('/') ? join(into, source) : into, {
        recursive: true,
      })
    }
  // `npm ci` brought these packages; they are linked, so that no registry is asked again.
  mkdirSync(join(folder, 'node_modules'))
  const names = readdirSync(MODULES).filter((name) => !name.startsWith('.image-'))
  const packages = names.map((name) => join(MODULES, name))
  execFileSync('cp', ['-al', ...packages, join(folder, 'node_modules')])
  // What was built of the same sources is not built again: one that is not copied makes them others.
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
  // Compilers come from Debian; the packages are compiled.
  for (const command of build.runs)
    if (!command.startsWith('apt-get'))
      execFileSync('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
}

function makeImage(): void {
  mkdirSync(under(imageRoot, image, '.'), { recursive: true })
  for (const { from, sources, target } of image.copies) {
    expect(from).toBe('build')
    for (const source of sources) {
      const into = under(imageRoot, image, target)
      const name = source.split('/').at(-1) ?? ''
      cpSync(join(buildRoot, source), target.endsWith('/') ? join(into, name) : into, {
        recursive: true,
      })
    }
  }
  // The one RUN of this stage makes the user and its folder; the machine's own users stay as they are.
  const [run = ''] = image.runs
  expect(image.runs).toHaveLength(1)
  const [, mode = '', data = ''] = /install .*--mode (\d+) (\S+)$/.exec(run) ?? []
  expect(image.env['DATA_DIR']).toBe(data)
  execFileSync('install', [
    ...['--directory', '--mode', mode],
    ...(isRoot ? ['--owner', String(UID), '--group', String(UID)] : []),
    join(imageRoot, data),
  ])
}

/** Runs words of the Dockerfile as its user, in its folder, with its environment. */
function start(words: readonly string[], more: Readonly<Record<string, string>>) {
  const [command = '', ...args] = words
  return spawn(command, args, {
    cwd: under(imageRoot, image, '.'),
    env: { PATH: process.env['PATH'], ...image.env, ...more },
    ...(isRoot ? { uid: UID, gid: UID } : {}),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

it('has no rights, no tools of the build, and no files of the tests', () => {
  expect(image.user).toBe('trunkline')
  const app = under(imageRoot, image, '.')
  expect(readdirSync(app).toSorted()).toEqual(['dist', 'node_modules', 'package.json'])
  const packages = readdirSync(join(app, 'node_modules'))
  for (const tool of ['typescript', 'vitest', 'eslint', 'rolldown'])
    expect(packages).not.toContain(tool)
  if (isRoot)
    expect(() =>
      execFileSync('touch', [join(app, 'dist/main.js')], { uid: UID, gid: UID, stdio: 'ignore' }),
    ).toThrow()
})

it('starts, is ready, passes its health check, and ends when it is told to', async () => {
  const server = start(image.entrypoint, {
    // The listeners of the image are on every address of its own network.
    ...{ HTTP_HOST: '127.0.0.1', ADMIN_HOST: '127.0.0.1', SIP_HOST: '127.0.0.1' },
    ...{ HTTP_PORT: '0', ADMIN_PORT: '0', SIP_PORT: '0', DRAIN_SECONDS: '0', LOG_LEVEL: 'warn' },
    DATA_DIR: join(imageRoot, image.env['DATA_DIR'] ?? ''),
  })
  const ended = once(server, 'exit')
  try {
    const url = await listening(server.stdout)
    if (isRoot)
      expect(readFileSync(`/proc/${String(server.pid)}/status`, 'utf8')).toContain(
        `Uid:\t${String(UID)}\t`,
      )
    const ready = async () => (await fetch(`${url}/readyz`)).status
    await expect.poll(ready, { timeout: LIMIT_MS }).toBe(200)
    const check = start(image.healthcheck, { HTTP_PORT: new URL(url).port })
    const [code] = (await once(check, 'exit')) as [number | null]
    expect(code).toBe(0)
  } finally {
    server.kill(image.stopSignal as NodeJS.Signals)
  }
  const [code] = (await ended) as [number | null]
  expect(code).toBe(0)
})

/** Resolves with the URL of the public listener, which the server prints. */
async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /"http":"([^"]+)"/.exec(line) ?? []
    if (url !== undefined) {
      output.resume()
      return url
    }
  }
  throw new Error('the server ended')
}
