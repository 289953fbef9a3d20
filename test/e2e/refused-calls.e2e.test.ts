/** What an operator sees of calls that did not arrive. */
import { expect, it } from 'vitest'
import { runCommand } from '../support/process/command-line.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { sipp } from '../support/sip/sipp.js'

async function refused(trunkline: RunningTrunkline, ...args: readonly string[]): Promise<string> {
  const flags = ['--admin-url', trunkline.admin, '--admin-token', trunkline.adminToken]
  const { code, out, err } = await runCommand(['refused', ...flags, ...args], {})
  expect([code, err]).toEqual([0, ''])
  return out
}

it('[F53] lists the INVITEs to a number that nobody holds, with sender and reason', async () => {
  await using trunkline = await startTrunkline()
  const call = { scenario: 'uac-wants-404', target: `127.0.0.1:${trunkline.sipPort}` }
  await sipp({ ...call, service: '+15559990001' })
  await sipp({ ...call, service: '+15559990001' })
  await sipp({ ...call, service: '+15559990002' })
  const records = (await refused(trunkline, '--json', '--status', '404')).trim().split('\n')
  const shown = records.map((each) => JSON.parse(each) as Readonly<Record<string, unknown>>)
  const about = {
    source: expect.stringMatching(/^127\.0\.0\.1 \d+ udp$/) as string,
    status: 404,
    reason: 'nobody holds the number',
  }
  // Equal refusals share a row.
  expect(shown).toHaveLength(2)
  expect(shown).toMatchObject([
    { ...about, calls: 1, to: expect.stringContaining('+15559990002') as string },
    { ...about, calls: 2, to: expect.stringContaining('+15559990001') as string },
  ])
  expect(await refused(trunkline)).toMatch(/404 +nobody holds the number/)
  expect(await refused(trunkline, '--address', '192.0.2.1')).not.toContain('404')
  expect(await trunkline.metrics()).toMatchObject({ 'calls_refused{status="404"}': 3 })
})
