import { type Command, InvalidArgumentError, Option } from 'commander'
import { acting, type Context } from '../context.js'
import type { VoiceServer } from '../servers/voice-server.js'
import { FailedError, type Surroundings } from '../surroundings.js'
import { wholeNumber } from '../terminal/arguments.js'
import { showList, showRecord, showRecords } from '../terminal/show.js'

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

const OWN = '/IncomingPhoneNumbers'
const OWN_COLUMNS = ['phone_number', 'type', 'voice_method', 'voice_url', 'voice_application_sid']
const FREE_COLUMNS = ['phone_number', 'locality', 'region', 'iso_country']
const KINDS = { local: 'Local', 'toll-free': 'TollFree', mobile: 'Mobile' } as const

interface SearchFlags {
  readonly country: string
  readonly kind: keyof typeof KINDS
  readonly areaCode?: string
  readonly contains?: string
  readonly region?: string
  readonly locality?: string
  readonly limit: number
}

interface BindingFlags {
  readonly voiceUrl?: string
  readonly voiceMethod?: string
  readonly voiceFallbackUrl?: string
  readonly voiceFallbackMethod?: string
  readonly application?: string
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

/** Commands that search, claim and bind an account's own numbers over the voice API. */
function addOwnNumbers(numbers: Command, around: Surroundings): void {
  const own = numbers
    .command('own')
    .description('Lists the numbers of the account, the newest first.')
    .option('--limit <number>', 'how many numbers', wholeNumber(1, 1_000_000), 50)
  acting<{ readonly limit: number }>(own, around, async (context) => {
    const { limit } = context.flags
    const name = 'incoming_phone_numbers'
    await showList(
      context.voice().list<object>(`${OWN}.json`, name, {}, limit),
      OWN_COLUMNS,
      context,
    )
  })
  addSearch(numbers, around)
  addClaim(numbers, around)
  addBind(numbers, around)
  const giveBack = numbers
    .command('give-back')
    .description('Gives a number of the account back; calls to it are refused from now on.')
    .argument('<number>', 'the number in E.164', e164)
  acting(giveBack, around, async (context, number = '') => {
    const server = context.voice()
    await server.remove(`${OWN}/${await sidOf(number, server)}.json`)
  })
}

function addSearch(numbers: Command, around: Surroundings): void {
  const command = numbers
    .command('search')
    .description('Searches for numbers that the account can claim.')
    .option('--country <code>', 'the ISO code of the country', 'US')
    .addOption(new Option('--kind <kind>').choices(Object.keys(KINDS)).default('local'))
    .option('--area-code <digits>', 'only North American numbers of this area code')
    .option('--contains <pattern>', 'only numbers with these digits or letters; * is any digit')
    .option('--region <name>', 'only numbers of this state or province')
    .option('--locality <name>', 'only numbers of this city')
    .option('--limit <number>', 'how many numbers', wholeNumber(1, 1_000_000), 20)
  acting<SearchFlags>(command, around, async (context) => {
    const { country, kind, areaCode, contains, region, locality, limit } = context.flags
    const path = `/AvailablePhoneNumbers/${encodeURIComponent(country)}/${KINDS[kind]}.json`
    const filter = {
      AreaCode: areaCode,
      Contains: contains,
      InRegion: region,
      InLocality: locality,
    }
    const found = context.voice().list<object>(path, 'available_phone_numbers', filter, limit)
    await showList(found, FREE_COLUMNS, context)
  })
}

function addClaim(numbers: Command, around: Surroundings): void {
  const command = numbers
    .command('claim')
    .description('Claims a number for the account, or binds one anew that it has.')
    .argument('<number>', 'the number in E.164', e164)
  binding(command, around, async (context, number) => {
    const form = { PhoneNumber: number, ...formOf(context.flags) }
    showRecord(await context.voice().post<object>(`${OWN}.json`, form), context)
  })
}

function addBind(numbers: Command, around: Surroundings): void {
  const command = numbers
    .command('bind')
    .description('Changes what answers a number of the account; what is not given stays.')
    .argument('<number>', 'the number in E.164', e164)
  binding(command, around, async (context, number) => {
    const server = context.voice()
    const path = `${OWN}/${await sidOf(number, server)}.json`
    showRecord(await server.post<object>(path, formOf(context.flags)), context)
  })
}

function binding(
  command: Command,
  around: Surroundings,
  run: (context: Context<BindingFlags>, number: string) => Promise<void>,
): void {
  const method = (flags: string) => new Option(flags).choices(['GET', 'POST'])
  command
    .option('--voice-url <url>', 'the URL that is asked when the number is called')
    .addOption(method('--voice-method <method>'))
    .option('--voice-fallback-url <url>', 'the URL that is asked when the first one fails')
    .addOption(method('--voice-fallback-method <method>'))
    .option('--application <sid>', 'the application that answers in place of these URLs')
    .option('--status-callback <url>', 'the URL that is told of the end of a call')
    .addOption(method('--status-callback-method <method>'))
  acting<BindingFlags>(command, around, (context, number = '') => run(context, number))
}

function formOf(flags: BindingFlags) {
  return {
    VoiceUrl: flags.voiceUrl,
    VoiceMethod: flags.voiceMethod,
    VoiceFallbackUrl: flags.voiceFallbackUrl,
    VoiceFallbackMethod: flags.voiceFallbackMethod,
    VoiceApplicationSid: flags.application,
    StatusCallback: flags.statusCallback,
    StatusCallbackMethod: flags.statusCallbackMethod,
  }
}

function e164(text: string): string {
  if (/^\+[1-9]\d{1,14}$/.test(text)) return text
  throw new InvalidArgumentError('A number is + and its digits with the country code.')
}

async function sidOf(number: string, server: VoiceServer): Promise<string> {
  const filter = { PhoneNumber: number }
  for await (const { sid } of server.list<{ sid: string }>(
    `${OWN}.json`,
    'incoming_phone_numbers',
    filter,
    1,
  ))
    return sid
  throw new FailedError(`the account does not have the number ${number}`)
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
