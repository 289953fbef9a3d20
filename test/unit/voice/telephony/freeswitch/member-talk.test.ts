import { describe, expect, it } from 'vitest'
import { MemberTalk } from '../../../../../src/voice/telephony/freeswitch/room.js'

function listened(mayTalk = true) {
  const talk = new MemberTalk(mayTalk)
  const heard: string[] = []
  const forget = talk.listen((talking) => heard.push(talking))
  return { talk, heard, forget }
}

describe('the talk of a room’s member', () => {
  it('starts and stops in turn, whatever the media server repeats', () => {
    const { talk, heard } = listened()
    for (const told of ['started', 'started', 'stopped', 'stopped', 'started'] as const)
      talk.receive(told)
    expect(heard).toEqual(['started', 'stopped', 'started'])
  })

  it('stops when the member is muted, and starts again after that', () => {
    const { talk, heard } = listened()
    talk.receive('started')
    talk.mustEnd()
    talk.receive('stopped')
    talk.mayBegin()
    talk.receive('started')
    expect(heard).toEqual(['started', 'stopped', 'started'])
  })

  it('is no talk while the member is muted', () => {
    const { talk, heard } = listened(false)
    talk.receive('started')
    talk.mustEnd()
    expect(heard).toEqual([])
  })

  it('is told to a late listener, and to nobody who has left', () => {
    const { talk, heard, forget } = listened()
    talk.receive('started')
    const late: string[] = []
    talk.listen((talking) => late.push(talking))
    forget()
    talk.receive('stopped')
    expect([heard, late]).toEqual([['started'], ['started', 'stopped']])
  })
})
