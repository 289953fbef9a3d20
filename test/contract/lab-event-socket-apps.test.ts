import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EslClient } from '../support/media/esl-client.js'
import {
  type ControlledCall,
  type MediaServerFixture,
  mediaServerFixture,
} from '../support/media/media-server.js'

const FOREVER = 'silence_stream://60000'

describe('applications on a channel', () => {
  let fixture: MediaServerFixture
  let controlled: ControlledCall
  let app: EslClient
  beforeEach(async () => {
    fixture = await mediaServerFixture()
    controlled = await fixture.controlledCall()
    app = controlled.app
  })
  afterEach(() => fixture[Symbol.asyncDispose]())

  const complete = (uuid: string): Promise<Readonly<Record<string, string>>> =>
    app.event('CHANNEL_EXECUTE_COMPLETE', (event) => event['Application-UUID'] === uuid)

  describe('uuid_audio_fork', () => {
    beforeEach(async () => {
      const subclasses = ['connect', 'connect_failed', 'json'].map((e) => `mod_audio_fork::${e}`)
      await app.reply(`event json CUSTOM ${subclasses.join(' ')}`)
    })
    const URL_ = 'ws://127.0.0.1:9/fork'
    const start = (name: string, more = 'true|false|') =>
      app.api(
        `uuid_audio_fork ^^|${controlled.uuid}|start|${URL_}|mono|8000|${name}|'{"a":1}'|${more}`,
      )

    it('starts, tells, and stops by name', async () => {
      expect(await start('bug1')).toBe('+OK Success\n')
      const { forked } = controlled.media
      expect(forked?.request).toEqual({
        url: URL_,
        mix: 'mono',
        sampleRate: 8000,
        metadata: '{"a":1}',
      })
      forked?.tell({ type: 'connected' })
      const connected = await app.event('CUSTOM')
      expect(connected).toMatchObject({
        'Event-Subclass': 'mod_audio_fork::connect',
        'Unique-ID': controlled.uuid,
      })
      expect(connected['_body']).toBeUndefined()
      expect(await app.api(`uuid_audio_fork ${controlled.uuid} send_text bug1 '{"b":2}'`)).toBe(
        '+OK Success\n',
      )
      expect(await app.api(`uuid_audio_fork ${controlled.uuid} stop bug1 '{"c":3}'`)).toBe(
        '+OK Success\n',
      )
      expect(controlled.media.calls).toEqual(['fork text {"b":2}', 'fork stop {"c":3}'])
    })

    it('plays what comes back only when told so with a rate', async () => {
      await start('bug3', 'true|true|8000')
      expect(controlled.media.forked?.request.playout).toEqual({ sampleRate: 8000 })
    })

    it('takes a name once, until it is stopped, even when its socket is gone', async () => {
      await start('bug1')
      controlled.media.forked?.tell({ type: 'connect-failed', reason: 'refused' })
      expect((await app.event('CUSTOM'))['_body']).toBe('{"reason":"Unable to connect"}')
      expect(await start('bug1')).toBe('-ERR Operation Failed\n')
      expect(await app.api(`uuid_audio_fork ${controlled.uuid} stop bug1`)).toBe('+OK Success\n')
      expect(await start('bug1')).toBe('+OK Success\n')
    })

    it('one that was given an empty name cannot be stopped without one', async () => {
      expect(await start('')).toBe('+OK Success\n')
      expect(await app.api(`uuid_audio_fork ${controlled.uuid} stop`)).toBe(
        '-ERR Operation Failed\n',
      )
    })

    it.each([
      ['an unknown channel', 'nobody start ws://127.0.0.1:9 mono 8000'],
      ['another mix', `UUID start ${URL_} twofold 8000`],
      ['another rate', `UUID start ${URL_} mono 11025`],
      ['another scheme', 'UUID start http://127.0.0.1:9 mono 8000'],
      ['an unknown action', 'UUID dance'],
      ['no such fork', 'UUID pause nothing'],
    ])('fails with %s', async (_what, args) => {
      expect(await app.api(`uuid_audio_fork ${args.replace('UUID', controlled.uuid)}`)).toBe(
        '-ERR Operation Failed\n',
      )
    })

    it("tells of the far end's messages, and ends what plays when it asks for silence", async () => {
      await start('bug1')
      fixture.engine.files.set('/long.wav', 60_000)
      await app.execute('playback', '/long.wav')
      await app.event('PLAYBACK_START')
      const tell = controlled.media.forked?.tell
      tell?.({ type: 'message', text: '{"type":"json","n":1}' })
      expect((await app.event('CUSTOM'))['_body']).toBe('{"type":"json","n":1}')
      tell?.({ type: 'message', text: '{"type":"killAudio"}' })
      expect(await app.event('PLAYBACK_STOP')).toMatchObject({ 'Playback-Status': 'break' })
    })
  })

  describe('playback', () => {
    it('tells of its begin and end, and how much was heard', async () => {
      fixture.engine.files.set('/a.wav', 60)
      const end = await app.run('playback', '/a.wav')
      expect(end).toMatchObject({
        Application: 'playback',
        'Application-Data': '/a.wav',
        'Application-Response': 'FILE PLAYED',
        variable_playback_seconds: '0',
        variable_playback_ms: '60',
        variable_playback_samples: '480',
        variable_playback_last_offset_pos: '480',
      })
      expect(await app.event('PLAYBACK_START')).toMatchObject({ 'Playback-File-Path': '/a.wav' })
      expect(await app.event('PLAYBACK_STOP')).toMatchObject({
        'Playback-File-Path': '/a.wav',
        'Playback-Status': 'done',
      })
    })

    it('names a tone a tone', async () => {
      await app.run('playback', 'tone_stream://%(20,0,440)')
      expect(await app.event('PLAYBACK_START')).toMatchObject({
        'Playback-File-Type': 'tone_stream',
      })
    })

    it('of a file that is not there says so, and starts nothing', async () => {
      const end = await app.run('playback', '/nope.wav')
      expect(end['Application-Response']).toBe('FILE NOT FOUND')
      expect(app.eventNames).not.toContain('PLAYBACK_START')
    })

    it('plays several, and gives what was before the name back', async () => {
      await app.run('set', 'playback_delimiter=!')
      await app.run('set', 'playback_sleep_val=0')
      const end = await app.run(
        'playback',
        '/nope.wav!{a=b}silence_stream://20!silence_stream://40',
      )
      expect(end['Application-Response']).toBe('FILE PLAYED')
      expect(await app.event('PLAYBACK_START')).toMatchObject({
        'Playback-File-Path': '{a=b}silence_stream://20',
        a: 'b',
      })
      expect(controlled.media.played).toMatchObject([
        { type: 'file', path: '/nope.wav' },
        { type: 'silence', durationMs: 20 },
        { type: 'silence', durationMs: 40 },
      ])
    })

    it('begins where it is told to', async () => {
      fixture.engine.files.set('/a.wav', 100)
      const end = await app.run('playback', '/a.wav@@400')
      expect(end).toMatchObject({
        variable_playback_samples: '480',
        variable_playback_last_offset_pos: '880',
      })
    })

    it('is broken by uuid_break, with a right position and a wrong time', async () => {
      const uuid = await app.execute('playback', FOREVER)
      await app.event('PLAYBACK_START')
      expect(await app.api(`uuid_break ${controlled.uuid}`)).toBe('+OK\n')
      expect(await app.event('PLAYBACK_STOP')).toMatchObject({ 'Playback-Status': 'break' })
      const end = await complete(uuid)
      expect(end['Application-Response']).toBe('FILE PLAYED')
      expect(Number(end['variable_playback_last_offset_pos'])).toBeLessThan(60_000 * 8)
      // Read ahead in blocks of 16384 samples, whatever was heard.
      expect(Number(end['variable_playback_samples']) % 16_384).toBe(0)
    })

    it('of several goes on with the next one after a break', async () => {
      await app.run('set', 'playback_delimiter=!')
      await app.run('set', 'playback_sleep_val=0')
      const uuid = await app.execute('playback', `${FOREVER}!silence_stream://20`)
      await app.event('PLAYBACK_START')
      await app.api(`uuid_break ${controlled.uuid} all`)
      await complete(uuid)
      expect(controlled.media.played).toHaveLength(2)
    })

    it('is ended by a star, and by no other digit', async () => {
      const uuid = await app.execute('playback', FOREVER)
      await app.event('PLAYBACK_START')
      controlled.media.press('1')
      expect(await app.event('DTMF')).toMatchObject({
        'DTMF-Digit': '1',
        'DTMF-Duration': '800',
        'DTMF-Source': 'RTP',
      })
      controlled.media.press('*')
      expect(await complete(uuid)).toMatchObject({
        'Application-Response': 'FILE PLAYED',
        variable_playback_terminator_used: '*',
      })
    })

    it('ends on time when it was given one', async () => {
      await app.run('set', 'playback_timeout_sec=2')
      const end = await app.run('playback', FOREVER)
      expect(end['Application-Response']).toBe('PLAYBACK ERROR')
    })
  })

  describe('what arrives while something plays', () => {
    it('runs at once when it is brief', async () => {
      await app.execute('playback', FOREVER)
      await app.event('PLAYBACK_START')
      await app.run('set', 'foo=bar')
      expect(app.eventNames).not.toContain('PLAYBACK_STOP')
    })

    it('suspends it when it needs the audio', async () => {
      const outer = await app.execute('playback', 'silence_stream://2000')
      await app.event('PLAYBACK_START')
      await app.run('playback', 'silence_stream://40')
      await complete(outer)
      const paths = app.frames.flatMap(({ event }) =>
        event?.['Event-Name'] === 'PLAYBACK_STOP' ? [event['Playback-File-Path']] : [],
      )
      expect(paths).toEqual(['silence_stream://40', 'silence_stream://2000'])
      // The outer one went on where it was.
      expect(controlled.media.played).toHaveLength(3)
      const resumed = controlled.media.played[2]
      expect(resumed?.type === 'silence' && resumed.durationMs).toBeLessThanOrEqual(2_000)
    })

    it('waits when what plays is locked', async () => {
      const first = await app.execute('playback', 'silence_stream://60', 'event-lock: true\n')
      const second = await app.execute('playback', 'silence_stream://20', 'event-lock: true\n')
      await complete(second)
      expect(app.eventNames.filter((name) => name.startsWith('PLAYBACK'))).toEqual([
        'PLAYBACK_START',
        'PLAYBACK_STOP',
        'PLAYBACK_START',
        'PLAYBACK_STOP',
      ])
      await complete(first)
    })

    it('is forgotten by a break of all, when it waits', async () => {
      const first = await app.execute('playback', FOREVER, 'event-lock: true\n')
      await app.execute('set', 'waits=yes')
      await app.event('PLAYBACK_START')
      await app.api(`uuid_break ${controlled.uuid} all`)
      await complete(first)
      expect(await app.api(`uuid_getvar ${controlled.uuid} waits`)).toBe('_undef_')
    })
  })

  describe('play_and_get_digits', () => {
    const prompt = 'silence_stream://20'
    it.each<[string, string, string, Record<string, string | undefined>]>([
      [
        'enough digits',
        `1 2 1 2000 # ${FOREVER} ${prompt} d \\d+ 800`,
        '12',
        { d: '12', read_result: 'success' },
      ],
      [
        'a terminator',
        `1 9 1 2000 # ${FOREVER} ${prompt} d \\d+ 800`,
        '12#',
        { d: '12', read_result: 'success', read_terminator_used: '#' },
      ],
      [
        'a terminator alone, where none is enough',
        `0 9 1 2000 # ${FOREVER} ${prompt} d \\d+ 800`,
        '#',
        { d: undefined, read_result: 'success', read_terminator_used: '#' },
      ],
      [
        'digits that do not match',
        `1 9 1 2000 # ${FOREVER} ${prompt} d ^[12]+$ 800`,
        '39#',
        { d: undefined, d_invalid: '39', read_result: 'success' },
      ],
      [
        'a terminator that is kept',
        `1 9 1 2000 +# ${FOREVER} ${prompt} d [\\d#]+ 800`,
        '1#',
        { d: '1#', read_terminator_used: '#' },
      ],
      [
        'the only digit, which is a terminator',
        `1 1 1 1000 # ${FOREVER} ${prompt} d \\d+ 800`,
        '#',
        { d: undefined, read_result: 'success' },
      ],
    ])('%s', async (_title, arg, digits, variables) => {
      const uuid = await app.execute('play_and_get_digits', arg)
      await app.event('PLAYBACK_START')
      for (const digit of digits) controlled.media.press(digit)
      const end = await complete(uuid)
      for (const [name, value] of Object.entries(variables)) {
        if (value === undefined) expect(end).not.toHaveProperty(`variable_${name}`)
        else expect(end).toHaveProperty(`variable_${name}`, value)
      }
    })

    it('without digits plays the other prompt and fails', async () => {
      const end = await app.run(
        'play_and_get_digits',
        `1 10 1 1000 # ${prompt} silence_stream://40 d \\d+ 500`,
      )
      expect(end).toMatchObject({
        variable_read_result: 'failure',
        'Application-Response': '_none_',
      })
      expect(end).not.toHaveProperty('variable_d')
      expect(controlled.media.played).toMatchObject([{ durationMs: 20 }, { durationMs: 40 }])
    })

    it('asks as often as it may', async () => {
      const uuid = await app.execute(
        'play_and_get_digits',
        `1 9 2 5000 # ${FOREVER} ${prompt} d ^[12]+$ 800`,
      )
      await app.event('PLAYBACK_START')
      for (const digit of '39#') controlled.media.press(digit)
      await app.event('PLAYBACK_START', (event) => event['Playback-File-Path'] === FOREVER)
      for (const digit of '21#') controlled.media.press(digit)
      expect(await complete(uuid)).toMatchObject({ variable_d: '21' })
    })

    it('takes what was pressed before it listened', async () => {
      const sleep = await app.execute('sleep', '60000')
      await app.event('CHANNEL_EXECUTE', (event) => event['Application'] === 'sleep')
      const locked = await app.execute(
        'play_and_get_digits',
        `1 1 1 2000 # ${FOREVER} ${prompt} d \\d+ 800`,
      )
      controlled.media.press('7')
      expect(await complete(locked)).toMatchObject({ variable_d: '7' })
      await app.api(`uuid_break ${controlled.uuid}`)
      await complete(sleep)
    })

    it('goes on to listen after a break of its prompt', async () => {
      const uuid = await app.execute(
        'play_and_get_digits',
        `1 1 1 60000 # ${FOREVER} ${prompt} d \\d+ 800`,
      )
      await app.event('PLAYBACK_START')
      await app.api(`uuid_break ${controlled.uuid}`)
      await app.event('PLAYBACK_STOP')
      controlled.media.press('4')
      expect(await complete(uuid)).toMatchObject({ variable_d: '4' })
    })
  })

  it('read leaves its digits in a variable', async () => {
    const uuid = await app.execute('read', `1 3 ${FOREVER} result 1000 #`)
    await app.event('PLAYBACK_START')
    for (const digit of '4#') controlled.media.press(digit)
    expect(await complete(uuid)).toMatchObject({
      variable_result: '4',
      variable_read_result: 'success',
    })
  })

  it('a parked channel tells of digits and drops them', async () => {
    controlled.media.press('5')
    expect(await app.event('DTMF')).toMatchObject({ 'DTMF-Digit': '5' })
  })

  it('sleep is ended by a digit, which is told afterwards', async () => {
    const uuid = await app.execute('sleep', '60000')
    await app.event('CHANNEL_EXECUTE', (event) => event['Application'] === 'sleep')
    controlled.media.press('5')
    await complete(uuid)
    await app.event('DTMF')
    expect(app.eventNames.indexOf('DTMF')).toBeGreaterThan(
      app.eventNames.lastIndexOf('CHANNEL_EXECUTE_COMPLETE'),
    )
  })

  describe('record', () => {
    it('records the peer until the limit', async () => {
      const end = await app.run('record', '/tmp/r.wav 1')
      expect(end['Application-Response']).toBe('_none_')
      expect(Number(end['variable_record_ms'])).toBeGreaterThanOrEqual(900)
      expect(end['variable_record_seconds']).toMatch(/^\d$/)
      expect(controlled.media.calls).toContain('record /tmp/r.wav mono')
    })

    it('is ended by a digit, a break, or silence', async () => {
      const watcher = await fixture.watch()
      const byDigit = await app.execute('record', '/tmp/r.wav')
      await watcher.event('RECORD_START')
      controlled.media.press('*')
      expect(await complete(byDigit)).toMatchObject({ variable_playback_terminator_used: '*' })
      const byBreak = await app.execute('record', '/tmp/r.wav')
      await watcher.event('RECORD_START')
      await app.api(`uuid_break ${controlled.uuid}`)
      await complete(byBreak)
      const bySilence = await app.execute('record', '/tmp/r.wav 60 200 3')
      await watcher.event('RECORD_START')
      controlled.media.talk(true)
      controlled.media.talk(false)
      expect(await complete(bySilence)).toMatchObject({ variable_silence_hits_exhausted: 'true' })
    })
  })

  describe('recording beside everything else', () => {
    it('is started, masked and stopped by api', async () => {
      const watcher = await fixture.watch()
      const { uuid, media } = controlled
      const path = '/tmp/with blank.wav'
      expect(await app.api(`uuid_record ${uuid} start '${path}'`)).toBe('+OK Success\n')
      expect(await watcher.event('RECORD_START')).toMatchObject({ 'Record-File-Path': path })
      expect(await app.api(`uuid_record ${uuid} mask '${path}'`)).toBe('+OK Success\n')
      expect(await app.api(`uuid_record ${uuid} unmask '${path}'`)).toBe('+OK Success\n')
      expect(await app.api(`uuid_record ${uuid} mask /other.wav`)).toBe(
        '-ERR Cannot mask recording session!\n',
      )
      expect(await app.api(`uuid_record ${uuid} stop '${path}'`)).toBe('+OK Success\n')
      expect(await watcher.event('RECORD_STOP')).toMatchObject({
        'Record-File-Path': path,
        'Record-Completion-Cause': 'success-maxtime',
      })
      expect(await app.api(`uuid_record ${uuid} stop '${path}'`)).toBe(
        '-ERR Cannot stop record session!\n',
      )
      expect(media.calls).toEqual([
        `record ${path} mono`,
        `mask ${path} true`,
        `mask ${path} false`,
      ])
    })

    it('is stereo when the channel says so, and is complete when the call ends', async () => {
      const watcher = await fixture.watch()
      await app.run('set', 'RECORD_STEREO=true')
      await app.run('record_session', '/tmp/s.wav')
      expect(controlled.media.calls).toContain('record /tmp/s.wav stereo')
      controlled.call.end()
      await watcher.event('RECORD_STOP')
      await watcher.event('CHANNEL_HANGUP_COMPLETE')
    })

    it('is stopped by its application', async () => {
      await app.run('record_session', '/tmp/s.wav +60')
      const end = await app.run('stop_record_session', '/tmp/s.wav')
      expect(end).toHaveProperty('variable_record_ms')
    })
  })

  it.each<[string, string, string[]]>([
    ['send_dtmf', '12@100', ['sendDigits 12 100']],
    ['send_dtmf', '1w2', ['sendDigits 1w2']],
    ['set_mute', 'read true', ['mute read true']],
    ['set_mute', 'read false', ['mute read false']],
    ['start_dtmf', '', ['detect digits true']],
    ['start_dtmf_generate', 'write', ['digit tones true']],
    ['stop_dtmf_generate', '', ['digit tones false']],
    ['speak', 'flite|slt|hello', []],
    ['park', '', []],
    ['answer', '', []],
  ])('%s %s', async (name, arg, calls) => {
    expect((await app.run(name, arg))['Application-Response']).toBe('_none_')
    expect(controlled.media.calls).toEqual(calls)
  })

  it('echo sends back until it is broken', async () => {
    const uuid = await app.execute('echo')
    await expect.poll(() => controlled.media.calls).toEqual(['echo true'])
    await app.api(`uuid_break ${controlled.uuid}`)
    await complete(uuid)
    expect(controlled.media.calls.at(-1)).toBe('echo false')
  })

  it('api commands reach the media', async () => {
    const { uuid, media } = controlled
    expect(await app.api(`uuid_send_dtmf ${uuid} 12`)).toBe(`+OK ${uuid} sent DTMF 12.\n`)
    expect(await app.api(`uuid_audio ${uuid} start read mute -1`)).toBe('+OK\n')
    expect(await app.api(`uuid_audio ${uuid} stop`)).toBe('+OK\n')
    expect(media.calls).toEqual([
      'sendDigits 12',
      'mute read true',
      'mute read false',
      'mute write false',
    ])
    expect(await app.api(`uuid_set_media_stats ${uuid}`)).toBe('+OK:\n')
    expect(await app.api(`uuid_getvar ${uuid} rtp_audio_in_packet_count`)).toBe('20')
  })
})

describe('bridges', () => {
  let fixture: MediaServerFixture
  let a: ControlledCall
  let b: ControlledCall
  beforeEach(async () => {
    fixture = await mediaServerFixture()
    a = await fixture.controlledCall()
    b = await fixture.controlledCall()
  })
  afterEach(() => fixture[Symbol.asyncDispose]())

  it('connect two channels, ending what they did', async () => {
    const watcher = await fixture.watch()
    const playing = await a.app.execute('playback', FOREVER)
    await a.app.event('PLAYBACK_START')
    expect(await a.app.api(`uuid_bridge ${a.uuid} ${b.uuid}`)).toBe(`+OK ${b.uuid}\n`)
    const end = await a.app.event(
      'CHANNEL_EXECUTE_COMPLETE',
      (event) => event['Application-UUID'] === playing,
    )
    expect(end['Application-Response']).toBe('PLAYBACK ERROR')
    expect(await watcher.event('CHANNEL_BRIDGE')).toMatchObject({
      'Unique-ID': a.uuid,
      'Bridge-A-Unique-ID': a.uuid,
      'Bridge-B-Unique-ID': b.uuid,
      'Other-Type': 'originatee',
      'Other-Leg-Unique-ID': b.uuid,
    })
    expect(a.media.calls).toContain(`bridge ${b.media.id}`)
    expect(await a.app.api(`uuid_getvar ${b.uuid} bridge_to`)).toBe(a.uuid)
  })

  it('let each channel play and be pressed on', async () => {
    const watcher = await fixture.watch()
    await a.app.api(`uuid_bridge ${a.uuid} ${b.uuid}`)
    await watcher.event('CHANNEL_BRIDGE')
    expect((await a.app.run('playback', 'silence_stream://20'))['Application-Response']).toBe(
      'FILE PLAYED',
    )
    b.media.press('3')
    expect(await b.app.event('DTMF')).toMatchObject({ 'DTMF-Digit': '3' })
  })

  it('are parted by a transfer of both, which go on obeying', async () => {
    const watcher = await fixture.watch()
    await a.app.api(`uuid_bridge ${a.uuid} ${b.uuid}`)
    await watcher.event('CHANNEL_BRIDGE')
    expect(await a.app.api(`uuid_transfer ${a.uuid} -both park inline`)).toBe('+OK\n')
    await watcher.event('CHANNEL_UNBRIDGE')
    await watcher.event('CHANNEL_PARK', (event) => event['Unique-ID'] === b.uuid)
    for (const { app } of [a, b])
      expect((await app.run('playback', 'silence_stream://20'))['Application-Response']).toBe(
        'FILE PLAYED',
      )
    expect(a.media.calls.at(-1)).toBe('unbridge')
  })

  it.each<[string, 'a' | 'b']>([
    ['the one that called', 'a'],
    ['the one that was called', 'b'],
  ])('end with %s, and the other parks when it was told to', async (_title, first) => {
    const watcher = await fixture.watch()
    const [ends, stays] = first === 'a' ? [a, b] : [b, a]
    await stays.app.api(`uuid_setvar ${stays.uuid} park_after_bridge true`)
    await a.app.api(`uuid_bridge ${a.uuid} ${b.uuid}`)
    await watcher.event('CHANNEL_BRIDGE')
    ends.call.end()
    await watcher.event('CHANNEL_UNBRIDGE')
    await watcher.event('CHANNEL_HANGUP_COMPLETE', (event) => event['Unique-ID'] === ends.uuid)
    expect((await stays.app.run('playback', 'silence_stream://20'))['Application-Response']).toBe(
      'FILE PLAYED',
    )
    expect(stays.call.hungUpWith).toBeUndefined()
  })

  it('end both calls when nothing else was said', async () => {
    const watcher = await fixture.watch()
    await a.app.api(`uuid_bridge ${a.uuid} ${b.uuid}`)
    await watcher.event('CHANNEL_BRIDGE')
    b.call.end()
    await a.app.closed()
    expect(a.call.hungUpWith).toBeDefined()
    await expect.poll(() => fixture.server.core.channels.size).toBe(0)
  })

  it('take a channel out of its former bridge', async () => {
    const watcher = await fixture.watch()
    const c = await fixture.controlledCall()
    await b.app.api(`uuid_setvar ${b.uuid} park_after_bridge true`)
    await a.app.api(`uuid_bridge ${a.uuid} ${b.uuid}`)
    await watcher.event('CHANNEL_BRIDGE')
    await a.app.api(`uuid_bridge ${a.uuid} ${c.uuid}`)
    expect(await watcher.event('CHANNEL_BRIDGE')).toMatchObject({ 'Bridge-B-Unique-ID': c.uuid })
    expect((await b.app.run('playback', 'silence_stream://20'))['Application-Response']).toBe(
      'FILE PLAYED',
    )
  })

  it('of a channel with itself, or with none, are refused', async () => {
    expect(await a.app.api(`uuid_bridge ${a.uuid} ${a.uuid}`)).toBe('-ERR Invalid uuid\n')
    expect(await a.app.api(`uuid_bridge ${a.uuid} x`)).toBe('-ERR Invalid uuid\n')
  })
})
