/**
 * `npm run conformance`: runs the contract suite and the end-to-end suite on the drachtio and the
 * FreeSWITCH that `DRACHTIO_URL` and `FREESWITCH_URL` name. A whole run writes docs/conformance.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { probeDrachtio } from '../../src/cli/trunkline/doctor/probe-drachtio.js'
import { probeFreeswitch } from '../../src/cli/trunkline/doctor/probe-freeswitch.js'
import { NEEDED_MODULES } from '../../src/voice/telephony/needed-modules.js'
import { parseServerUrl } from '../../src/voice/telephony/server-url.js'

const USAGE = `DRACHTIO_URL=tcp://:SECRET@127.0.0.1:9022 FREESWITCH_URL=tcp://:PASSWORD@127.0.0.1:8021 \\
npm run conformance                        every case; writes docs/conformance.md
npm run conformance -- --only recordings   the files whose names have this; prints the page only
npm run conformance -- --only recordings --update   the same; puts them into docs/conformance.md
`
const PAGE = 'docs/conformance.md'
const LOOPBACK = '127.0.0.1'

interface Wish {
  /** A part of file names; undefined: every file. */
  readonly only: string | undefined
  readonly isUpdate: boolean
}

async function conformance({ only, isUpdate }: Wish): Promise<number> {
  const servers = await versions()
  process.stderr.write(`conformance: ${servers}\n`)
  const files = only === undefined ? [] : [only]
  const page = only === undefined ? { CONFORMANCE_PAGE: PAGE } : {}
  const child = spawn(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', ...files],
      ...['--root', '.', '--config', 'test/conformance/vitest.config.ts'],
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        CONFORMANCE_SERVERS: servers,
        ...page,
        ...(isUpdate ? { CONFORMANCE_UPDATE: PAGE } : {}),
      },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** Asks both servers for their versions; rejects when one cannot be used. */
async function versions(): Promise<string> {
  const { DRACHTIO_URL, FREESWITCH_URL } = process.env
  if (DRACHTIO_URL === undefined || FREESWITCH_URL === undefined)
    throw new Error(`DRACHTIO_URL and FREESWITCH_URL have to name the servers\n\n${USAGE}`)
  const drachtio = await probeDrachtio(parseServerUrl(DRACHTIO_URL))
  const freeswitch = await probeFreeswitch(parseServerUrl(FREESWITCH_URL), {
    folder: tmpdir(),
    callback: { listenHost: LOOPBACK, toldHost: LOOPBACK },
    modules: NEEDED_MODULES,
  })
  if (freeswitch.sdpAddress === undefined)
    throw new Error('FreeSWITCH has no profile drachtio_mrf: give it freeswitch-conf/')
  if (freeswitch.missingModules.length > 0)
    throw new Error(`FreeSWITCH has not loaded ${freeswitch.missingModules.join(', ')}`)
  if (!freeswitch.seesFolder)
    throw new Error(`FreeSWITCH does not see ${tmpdir()}: it has to run on this machine`)
  return `drachtio ${drachtio.version}, FreeSWITCH ${freeswitch.version}`
}

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { only, update, help } = values
  if (help) process.stdout.write(USAGE)
  else process.exitCode = await conformance({ only, isUpdate: update })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
