import { type Command, Option } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'
import { showRecord, showRecords } from '../terminal/show.js'
import { addOwnNumbers } from './own-numbers.js'

const COLUMNS = ['number', 'accountSid', 'voiceMethod', 'voiceUrl']
const EXAMPLES = `
Examples:
  $ trunkline numbers
  $ trunkline numbers assign +15551112222 --voice-url https://example.com/voice
  $ trunkline numbers assign +15551112222 --account AC… --token … --voice-url https://example.com/voice
  $ trunkline numbers release +15551112222
  $ trunkline numbers stock
  $ trunkline numbers search --area-code 415
  $ trunkline numbers claim +14155550100 --voice-url https://example.com/voice
  $ trunkline numbers bind +14155550100 --application AP…
  $ trunkline numbers own
  $ trunkline numbers give-back +14155550100

list, assign, release and stock speak to the private listener, with the operator's token. search, claim, bind, own and
give-back speak to the voice API, with the credentials of an account.`

interface Routing {
  readonly voiceUrl?: string
  readonly voiceMethod?: string
  readonly voiceFallbackUrl?: string
  readonly voiceFallbackMethod?: string
  readonly statusCallback?: string
  readonly statusCallbackMethod?: string
}

export function addNumbers(program: Command, around: Surroundings): void {
  const numbers = program
    .command('numbers')
    .description(
      'Lists, assigns and releases phone numbers as the operator; finds, claims and binds them as an account.',
    )
    .addHelpText('after', EXAMPLES)
  const list = numbers
    .command('list', { isDefault: true })
    .description('Lists the phone numbers of all accounts.')
  acting(list, around, async (context) => {
    const answer = await context.operator().ask<{ numbers: object[] }>('GET', '/numbers')
    showRecords(answer.numbers, COLUMNS, context)
  })
  const stock = numbers
    .command('stock')
    .description('Adds synthetic numbers to the inventory, for trying things out.')
  acting(stock, around, async (context) => {
    showRecord(await context.operator().ask<object>('POST', '/inventory/synthetic'), context)
  })
  addAssign(numbers, around)
  const release = numbers
    .command('release')
    .description('Takes a phone number from its account.')
    .argument('<number>', 'the number in E.164')
  acting(release, around, (context, number = '') =>
    context.operator().ask('DELETE', `/numbers/${encodeURIComponent(number)}`),
  )
  addOwnNumbers(numbers, around)
}

function addAssign(numbers: Command, around: Surroundings): void {
  const method = (flags: string) => new Option(flags).choices(['GET', 'POST'])
  const command = numbers
    .command('assign')
    .description('Gives a phone number to the account, or routes it anew.')
    .argument('<number>', 'the number in E.164')
    .option('--voice-url <url>', 'the URL that is asked when the number is called')
    .addOption(method('--voice-method <method>'))
    .option('--voice-fallback-url <url>', 'the URL that is asked when the first one fails')
    .addOption(method('--voice-fallback-method <method>'))
    .option('--status-callback <url>', 'the URL that is told of the end of a call')
    .addOption(method('--status-callback-method <method>'))
  acting<Routing>(command, around, async (context, number = '') => {
    const { flags } = context
    const routing = {
      accountSid: flags.account ?? context.voice().accountSid,
      voiceUrl: flags.voiceUrl,
      voiceMethod: flags.voiceMethod,
      voiceFallbackUrl: flags.voiceFallbackUrl,
      voiceFallbackMethod: flags.voiceFallbackMethod,
      statusCallback: flags.statusCallback,
      statusCallbackMethod: flags.statusCallbackMethod,
    }
    const path = `/numbers/${encodeURIComponent(number)}`
    showRecord(await context.operator().ask<object>('PUT', path, routing), context)
  })
}
