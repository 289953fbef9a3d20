import type { Command } from 'commander'
import { acting } from '../context.js'
import type { DoctorFlags } from '../doctor/run-doctor.js'
import type { Surroundings } from '../surroundings.js'
import { severalTexts } from '../terminal/arguments.js'

const EXAMPLES = `
Examples:
  $ trunkline doctor                                          before and after \`trunkline start\`
  $ trunkline doctor --webhook https://example.com/voice      ask it as a ringing call would
  $ trunkline doctor --url https://voice.example.com --account AC… --token …
  $ trunkline doctor --json | jq -r 'select(.level != "ok") | .advice'

Each line is ok, warn or fail; an arrow says what to do. The exit code is 1 when a line is fail.`

export function addDoctor(program: Command, around: Surroundings): void {
  const command = program
    .command('doctor')
    .description(
      'Checks settings, ports, disk, database, clock and telephony servers; what Contact and SDP will say; what webhooks answer.',
    )
    .option('--webhook <url>', 'a URL to ask for markup; repeatable', severalTexts)
    .addHelpText('after', EXAMPLES)
  acting<DoctorFlags>(command, around, async (context) => {
    // It brings much of the server with it, which the other commands do not need.
    const { runDoctor } = await import('../doctor/run-doctor.js')
    await runDoctor(context)
  })
}
