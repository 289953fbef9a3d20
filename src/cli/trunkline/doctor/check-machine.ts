/** Checks the machine: the data folder, its disk, the database and the clock. */
import { execFile } from 'node:child_process'
import { constants, statSync } from 'node:fs'
import { access, open, readdir, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { checkPostgres } from './check-postgres.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'

const MEBIBYTE = 1024 * 1024
/** The free space below which the server counts its disk as full. */
const FULL_BYTES = 8 * MEBIBYTE
const SCARCE_BYTES = 1024 * MEBIBYTE
const MAX_SKEW_MS = 2_000
const SQLITE_HEADER = 'SQLite format 3\0'
const COMMAND_LIMIT_MS = 3_000

export async function checkMachine(facts: Facts): Promise<readonly Finding[]> {
  return [
    ok('node', `${process.version} on ${process.platform} ${process.arch}`),
    ...(await checkFolder(facts)),
    ...(await checkDatabase(facts)),
    ...(await checkClock(facts)),
  ]
}

async function checkFolder({ config }: Facts): Promise<readonly Finding[]> {
  const folder = resolve(config.dataDir)
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isAbsent
      ? [ok('data folder', `${folder} does not exist yet: the first start makes it`)]
      : [
          fail(
            'data folder',
            `${folder} cannot be read and written`,
            'run this as the user of the server, or give the folder to that user (chown)',
          ),
        ]
  }
  return [await checkModes(folder), await checkDisk(folder)]
}

const isOpenToOthers = (mode: number) => (mode & 0o077) !== 0

/** Other users reach nothing in a folder that is closed to them, whatever the modes inside. */
async function checkModes(folder: string): Promise<Finding> {
  if (!isOpenToOthers((await stat(folder)).mode)) return ok('data folder', folder)
  const open: string[] = []
  for (const name of (await readdir(folder)).toSorted()) {
    // The server may have removed it meanwhile.
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found !== undefined && isOpenToOthers(found.mode)) open.push(name)
  }
  const inside = open.length === 0 ? '' : `, and so are ${open.join(', ')}`
  const command = `chmod -R go-rwx ${folder}`
  return warn('data folder', `${folder} is open to other users${inside}`, command)
}

async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const text = `${sizeOf(free)} free at ${folder}`
  const advice =
    'delete old recordings or give DATA_DIR a larger disk: a call recorded in mono takes 1 MB a minute'
  if (free < FULL_BYTES) return fail('disk', `full: ${text}`, advice)
  return free < SCARCE_BYTES ? warn('disk', text, advice) : ok('disk', text)
}

async function checkDatabase({ config, readiness }: Facts): Promise<readonly Finding[]> {
  if (config.database.url !== undefined) return await checkPostgres(config.database.url)
  const path = join(resolve(config.dataDir), 'trunkline.db')
  const size = await sizeOfFile(path)
  if (size === undefined) return [ok('database', `${path} does not exist yet`)]
  if (readiness?.detail['disk'] === 'full')
    return [fail('database', 'the server cannot write', 'make room on the disk; it then goes on')]
  const isSqlite = (await headOf(path)) === SQLITE_HEADER
  if (!isSqlite)
    return [fail('database', `${path} is not an SQLite database`, 'restore it from a backup')]
  return [ok('database', `SQLite, ${sizeOf(size)} at ${path}`)]
}

async function checkClock({ readiness }: Facts): Promise<readonly Finding[]> {
  const now = Date.now()
  const skew = readiness === undefined ? 0 : Math.abs(readiness.date - now)
  const time = new Date(now).toISOString()
  const advice =
    'let NTP set the clock (systemd-timesyncd, chrony): callbacks and signatures carry the time'
  if (skew > MAX_SKEW_MS)
    return [
      warn('clock', `${time} here, ${Math.round(skew / 1_000)} s away from the server's`, advice),
    ]
  const isSynchronised = await synchronised()
  if (isSynchronised === false) return [warn('clock', `${time}, not synchronised`, advice)]
  const known =
    isSynchronised === true ? 'synchronised' : 'whether it is synchronised is not known here'
  return [ok('clock', `${time}, ${known}`)]
}

/** systemd's report on clock synchronisation; undefined on a machine without systemd. */
async function synchronised(): Promise<boolean | undefined> {
  try {
    const { stdout } = await promisify(execFile)(
      'timedatectl',
      ['show', '--property=NTPSynchronized', '--value'],
      { timeout: COMMAND_LIMIT_MS },
    )
    return stdout.trim() === 'yes' ? true : stdout.trim() === 'no' ? false : undefined
  } catch {
    return undefined // A container has no systemd: its host keeps the clock.
  }
}

async function sizeOfFile(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch {
    return undefined
  }
}

async function headOf(path: string): Promise<string> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(SQLITE_HEADER.length), 0, SQLITE_HEADER.length, 0)
  return buffer.toString('latin1')
}

function sizeOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(
    units.length - 1,
    Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)),
  )
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step] ?? ''}`
}
