import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlledCall,
  type MediaServerFixture,
  mediaServerFixture,
  OFFER,
} from '../support/media/media-server.js'

describe('the event socket, connected to by the media server', () => {
  let fixture: MediaServerFixture
  beforeEach(async () => {
    fixture = await mediaServerFixture()
  })
  afterEach(() => fixture[Symbol.asyncDispose]())

  describe('a call', () => {
    it('is answered and put under the control of the application that it names', async () => {
      const { call, channelData, media } = await fixture.controlledCall()
      expect(call.answered).toContain(`m=audio ${media.port} RTP/AVP 0 101`)
      expect(Object.fromEntries(channelData)).toMatchObject({
        'Content-Type': 'command/reply',
        'Reply-Text': '+OK\n',
        'Socket-Mode': 'async',
        Control: 'full',
        'Channel-Unique-ID': channelData.get('Unique-ID'),
        'Answer-State': 'answered',
        variable_sip_user_agent: 'drachtio-fsmrf:0b7c4c1e',
        variable_sip_call_id: call.callId,
        variable_rtp_local_sdp_str: call.answered,
        variable_switch_r_sdp: OFFER,
        variable_local_media_ip: '127.0.0.1',
        variable_local_media_port: String(media.port),
        variable_remote_media_ip: '127.0.0.1',
        variable_remote_media_port: '40000',
        variable_dtmf_type: 'rfc2833',
        variable_rtp_use_codec_name: 'PCMU',
      })
      expect(media.remote).toMatchObject({ port: 40_000, codec: 'PCMU', dtmfPayloadType: 101 })
    })

    it('without an offer is offered both laws and G.722, and waits for the ACK', async () => {
      const call = fixture.invite()
      await expect.poll(() => call.answered).toContain('RTP/AVP 0 8 9 101')
      call.events.onAnswer?.(call.answered?.replace('t=0 0', 't=0 0\r\na=recvonly') ?? '')
      call.events.onConfirmed?.()
      const app = await fixture.application.client()
      app.write('connect\n\n')
      const { head } = await app.next((frame) => frame.head['Event-Name'] === 'CHANNEL_DATA')
      expect(decodeURIComponent(head['variable_rtp_local_sdp_str'] ?? '')).toBe(call.answered)
      // Our own description came back: there is nobody to send to.
      expect(fixture.engine.endpoints[0]?.remote?.direction).toBe('inactive')
    })

    it('that names no application is refused', async () => {
      const call = fixture.invite(OFFER, { 'X-esl-outbound': '' })
      await expect.poll(() => call.rejected).toBe(404)
      expect(fixture.engine.endpoints).toEqual([])
    })

    it('that speaks nothing we speak is refused, and nothing is left', async () => {
      const call = fixture.invite(
        OFFER.replace('RTP/AVP 0 101', 'RTP/AVP 18').replace('0 PCMU', '18 G729'),
      )
      await expect.poll(() => call.rejected).toBe(488)
      await expect.poll(() => fixture.engine.endpoints[0]?.isClosed).toBe(true)
      await expect.poll(() => fixture.server.core.channels.size).toBe(0)
    })

    it('has the variables that the dialplan sets', async () => {
      await using own = await mediaServerFixture({ dialplanVariables: { socket_resume: 'true' } })
      const { app, uuid, channelData, call } = await own.controlledCall()
      expect(channelData.get('variable_socket_resume')).toBe('true')
      expect(await app.api(`uuid_getvar ${uuid} socket_resume`)).toBe('true')
      app.socket.destroy()
      await expect.poll(() => call.hungUpWith).toBeDefined()
    })

    it('whose application cannot be reached ends', async () => {
      const call = fixture.invite(OFFER, { 'X-esl-outbound': '127.0.0.1:1' })
      await expect.poll(() => call.hungUpWith).toBeDefined()
      await expect.poll(() => fixture.server.core.channels.size).toBe(0)
    })

    it('over the limit is refused', async () => {
      await using small = await mediaServerFixture({ maxSessions: 1 })
      await small.controlledCall()
      const second = small.invite(OFFER)
      await expect.poll(() => second.rejected).toBe(503)
    })

    it('that comes while the server is paused is refused', async () => {
      const watcher = await fixture.watch()
      expect(await watcher.api('fsctl pause')).toBe('+OK\n')
      expect(await watcher.api('fsctl pause_check')).toBe('true')
      const refused = fixture.invite(OFFER)
      await expect.poll(() => refused.rejected).toBe(503)
      await watcher.api('fsctl resume')
      await fixture.controlledCall()
    })

    it('that gets another offer sends elsewhere, and holds when it must', async () => {
      const { call, media, app, uuid } = await fixture.controlledCall()
      const { request } = call
      const moved = await call.events.onOffer?.(OFFER.replace('40000', '40010'), request)
      expect(moved).toContain(`m=audio ${media.port} RTP/AVP 0 101`)
      expect(media.remote?.port).toBe(40_010)
      expect(await app.api(`uuid_getvar ${uuid} remote_media_port`)).toBe('40010')
      const held = await call.events.onOffer?.(`${OFFER}a=sendonly\r\n`, request)
      expect(held).toContain('a=recvonly')
      expect(await app.event('CHANNEL_CALLSTATE')).toMatchObject({ 'Channel-Call-State': 'HELD' })
      await call.events.onOffer?.(OFFER, request)
      expect(await app.event('CHANNEL_CALLSTATE')).toMatchObject({ 'Channel-Call-State': 'UNHELD' })
      expect(await call.events.onOffer?.('v=0\r\n', request)).toEqual({ refuse: 488 })
    })

    it('takes RTP from where its signalling came from, as the application names it', async () => {
      const named = fixture.invite(OFFER, { 'X-Signalling-Source': '203.0.113.9' })
      await expect.poll(() => named.answered).toBeDefined()
      expect(fixture.engine.endpoints.at(-1)?.remote).toMatchObject({
        signallingAddress: '203.0.113.9',
        silence: 'after-sound',
      })
      const unnamed = fixture.invite(OFFER, { 'X-Signalling-Source': 'somewhere' })
      await expect.poll(() => unnamed.answered).toBeDefined()
      expect(fixture.engine.endpoints.at(-1)?.remote?.signallingAddress).toBe(unnamed.from.address)
    })

    it('left by its application stays, unless it was told to go', async () => {
      const stays = await fixture.controlledCall()
      const goes = await fixture.controlledCall()
      await goes.app.api(`uuid_setvar ${goes.uuid} socket_resume true`)
      stays.app.socket.destroy()
      goes.app.socket.destroy()
      await expect.poll(() => goes.call.hungUpWith).toBeDefined()
      expect(stays.call.hungUpWith).toBeUndefined()
      expect(fixture.server.core.channels.has(stays.uuid)).toBe(true)
    })
  })

  describe('the end of a call', () => {
    it('by command tells it in the order of the server, then says goodbye', async () => {
      const { call, app, uuid, media } = await fixture.controlledCall()
      await app.execute('hangup')
      const notice = await app.next(({ head }) => head['Content-Type'] === 'text/disconnect-notice')
      expect(notice.head).toMatchObject({
        'Controlled-Session-UUID': uuid,
        'Content-Disposition': 'disconnect',
      })
      await app.closed()
      expect(
        app.frames.flatMap(({ event }) =>
          event === undefined
            ? []
            : [`${event['Event-Name']} ${event['Application'] ?? ''}`.trim()],
        ),
      ).toEqual([
        'CHANNEL_EXECUTE hangup',
        'CHANNEL_EXECUTE_COMPLETE hangup',
        'CHANNEL_EXECUTE_COMPLETE socket',
        'CHANNEL_CALLSTATE',
      ])
      expect(call.hungUpWith).toEqual([
        { name: 'Reason', value: 'Q.850;cause=16;text="NORMAL_CLEARING"' },
      ])
      await expect.poll(() => media.isClosed).toBe(true)
      await expect.poll(() => fixture.server.core.channels.size).toBe(0)
    })

    it('by the peer ends what plays', async () => {
      const { call, app } = await fixture.controlledCall()
      await app.execute('playback', 'silence_stream://60000')
      await app.event('PLAYBACK_START')
      call.end()
      const complete = await app.event(
        'CHANNEL_EXECUTE_COMPLETE',
        (event) => event['Application'] === 'playback',
      )
      expect(complete).toMatchObject({
        'Application-Response': 'PLAYBACK ERROR',
        'Answer-State': 'hangup',
        'Hangup-Cause': 'NORMAL_CLEARING',
      })
      expect(await app.event('CHANNEL_CALLSTATE')).toMatchObject({
        'Channel-Call-State': 'HANGUP',
        'Channel-State': 'CS_HANGUP',
      })
      await app.closed()
      expect(call.hungUpWith).toBeUndefined()
    })

    it('by uuid_kill has the cause that was asked for', async () => {
      const watcher = await fixture.watch()
      const { call, app, uuid } = await fixture.controlledCall()
      expect(await watcher.api(`uuid_kill ${uuid} USER_BUSY`)).toBe('+OK\n')
      expect(await watcher.event('CHANNEL_HANGUP')).toMatchObject({ 'Hangup-Cause': 'USER_BUSY' })
      expect(await watcher.event('CHANNEL_HANGUP_COMPLETE')).toMatchObject({
        variable_hangup_cause: 'USER_BUSY',
        variable_hangup_cause_q850: '17',
        variable_rtp_audio_in_packet_count: '20',
      })
      await watcher.event('CHANNEL_DESTROY')
      expect(call.hungUpWith?.[0]?.value).toContain('cause=17')
      expect(await watcher.api(`uuid_exists ${uuid}`)).toBe('false')
      await app.closed()
    })

    it('can be outlived by a connection that lingers', async () => {
      const { app, uuid } = await fixture.controlledCall()
      expect(await app.reply('linger')).toBe('+OK will linger')
      await app.command('event json CHANNEL_HANGUP_COMPLETE')
      await app.api(`uuid_kill ${uuid}`)
      const notice = await app.next(({ head }) => head['Content-Type'] === 'text/disconnect-notice')
      expect(notice.head).toMatchObject({ 'Content-Disposition': 'linger', 'Linger-Time': '-1' })
      await app.event('CHANNEL_HANGUP_COMPLETE')
      expect(await app.reply('exit')).toBe('+OK bye')
      await app.closed()
    })

    it('comes to every channel by hupall', async () => {
      const calls = [await fixture.controlledCall(), await fixture.controlledCall()]
      await calls[0]?.app.api('hupall')
      for (const { call, app } of calls) {
        await app.closed()
        expect(call.hungUpWith?.[0]?.value).toContain('MANAGER_REQUEST')
      }
    })
  })

  describe('variables', () => {
    let controlled: ControlledCall
    beforeEach(async () => {
      controlled = await fixture.controlledCall()
    })

    it.each<[string, string, string, string | undefined]>([
      ['set', 'foo=bar', 'foo', 'bar'],
      ['set', 'foo=', 'foo', undefined],
      ['set', 'foo=a=b', 'foo', 'a=b'],
      ['set', 'foo,bar', 'foo', 'bar'],
      ['set', 'foo=${uuid}', 'foo', 'UUID'],
      ['multiset', '^^^foo=1^bar=2', 'bar', '2'],
      ['multiset', 'foo=1 bar=2', 'bar', '2'],
      ['export', 'foo=bar', 'export_vars', 'foo'],
      ['unset', 'sip_user_agent', 'sip_user_agent', undefined],
    ])('%s %s', async (app, arg, name, value) => {
      const { uuid } = controlled
      const complete = await controlled.app.run(app, arg)
      expect(complete['Application-Response']).toBe('_none_')
      const expected = value === 'UUID' ? uuid : value
      expect(await controlled.app.api(`uuid_getvar ${uuid} ${name}`)).toBe(expected ?? '_undef_')
    })

    it('are set, read and dumped by api', async () => {
      const { app, uuid } = controlled
      expect(await app.api(`uuid_setvar ${uuid} x1 'y z'`)).toBe('+OK\n')
      expect(await app.api(`uuid_setvar ${uuid} x1`)).toBe('+OK\n')
      expect(await app.api(`uuid_setvar_multi ${uuid} m1=a;m2=b c`)).toBe('+OK\n')
      expect(await app.api(`uuid_getvar ${uuid} x1`)).toBe('_undef_')
      expect(await app.reply('getvar m2')).toBe('b c')
      expect(JSON.parse(await app.api(`uuid_dump ${uuid} json`))).toMatchObject({
        'Event-Name': 'CHANNEL_DATA',
        variable_m1: 'a',
        variable_m2: 'b c',
      })
      expect(await app.api(`uuid_dump ${uuid}`)).toContain('\nvariable_m2: b%20c\n')
      expect(await app.api(`uuid_dump ${uuid} plain`)).toContain('\nvariable_m2: b c\n')
    })

    it('stand in arguments, and the log tells who used them', async () => {
      const { app, uuid } = controlled
      await app.api(`uuid_setvar ${uuid} length 40`)
      const complete = await app.run('playback', 'silence_stream://${length}')
      expect(complete['Application-Data']).toBe('silence_stream://40')
      expect(fixture.commands).toContainEqual({
        kind: 'expansion',
        channel: uuid,
        expression: 'length',
        outcome: 'variable',
      })
    })

    it('never run a command', async () => {
      const { app, uuid } = controlled
      await app.run('set', 'x=${system touch /tmp/pwned}')
      expect(await app.api(`uuid_getvar ${uuid} x`)).toBe('<API Execute Permission Denied>')
      expect(fixture.commands).toContainEqual({
        kind: 'expansion',
        channel: uuid,
        expression: 'system touch /tmp/pwned',
        outcome: 'refused',
      })
    })

    it('are left alone in arguments once expansion is switched off', async () => {
      const { app, uuid } = controlled
      await app.api(`uuid_setvar ${uuid} app_disable_expand_variables true`)
      const complete = await app.run('playback', 'silence_stream://${length}')
      expect(complete).toMatchObject({
        'Application-Data': 'silence_stream://${length}',
        'Application-Response': 'FILE NOT FOUND',
      })
      expect(fixture.commands.filter(({ kind }) => kind === 'expansion')).toEqual([])
      // The server expands in the value of `set` all the same.
      await app.run('set', 'y=${uuid}')
      expect(await app.api(`uuid_getvar ${uuid} y`)).toBe(uuid)
    })
  })

  it('hangs up a channel that is told to run what does not exist', async () => {
    const { app, call } = await fixture.controlledCall()
    await app.execute('fire_phasers', 'now')
    await app.closed()
    expect(call.hungUpWith?.[0]?.value).toContain('DESTINATION_OUT_OF_ORDER')
  })

  it('lists its channels', async () => {
    const { app, uuid } = await fixture.controlledCall()
    const list = JSON.parse(await app.api('show channels as json')) as {
      rows: Record<string, string>[]
    }
    expect(list).toMatchObject({
      row_count: 1,
      rows: [{ uuid, state: 'CS_EXECUTE', dest: 'drachtio' }],
    })
    expect(await app.api('show channels count')).toBe('\n1 total.\n')
    expect(await app.api('show channels')).toMatch(new RegExp(`^uuid,.*\\n${uuid},inbound,`))
  })

  it('gives a message to a channel that another connection controls', async () => {
    const watcher = await fixture.watch()
    const { uuid } = await fixture.controlledCall()
    expect(
      await watcher.reply(
        `sendmsg ${uuid}\ncall-command: execute\nexecute-app-name: set\nexecute-app-arg: a=b`,
      ),
    ).toBe('+OK')
    await watcher.event('CHANNEL_EXECUTE_COMPLETE', (event) => event['Application'] === 'set')
    expect(await watcher.api(`uuid_getvar ${uuid} a`)).toBe('b')
  })
})
