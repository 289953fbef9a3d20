import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GRAMMAR } from '../../../../src/voice/markup/parse/grammar.js'
import {
  INEFFECTIVE_AROUND,
  INEFFECTIVE_ATTRIBUTES,
} from '../../../../src/voice/markup/parse/ineffective-attributes.js'
import { FakeCall } from './fake-host.js'

const GUIDE = join(import.meta.dirname, '../../../../docs/markup.md')

async function warningsOf(text: string): Promise<readonly string[]> {
  const call = new FakeCall({ host: { placeCall: () => Promise.reject(new Error('not dialled')) } })
  await call.run({ type: 'inline', text: `<Response>${text}</Response>` }).catch(() => undefined)
  return call.log.flatMap((entry) => (entry.type === 'warning' ? [entry.message] : []))
}

describe('an attribute that is accepted and has no effect', () => {
  it.each([
    ['Number', 'byoc="BY1"', '<Dial><Number byoc="BY1">+15551112222</Number></Dial>'],
    ['Dial', 'events="x"', '<Dial events="x"/>'],
    [
      'Conference',
      'jitterBufferSize="small"',
      '<Dial><Conference jitterBufferSize="small">r</Conference></Dial>',
    ],
    [
      'Stream',
      'audioFormat="x"',
      '<Start><Stream url="wss://a.example/" audioFormat="x"/></Start>',
    ],
    ['Gather', 'hints="one"', '<Gather hints="one"/>'],
  ])('is warned of in the event log: %s %s', async (element, attribute, text) => {
    expect(await warningsOf(text)).toContain(
      `<${element}>: ${attribute} is accepted and has no effect`,
    )
  })

  it('is not warned of where it is not written', async () => {
    expect(await warningsOf('<Gather action="http://a.example/"/><Dial/>')).toEqual([])
  })

  it('is one of the grammar, and in the guide', () => {
    const guide = readFileSync(GUIDE, 'utf8')
    for (const [element, attributes] of INEFFECTIVE_ATTRIBUTES) {
      expect(GRAMMAR.get(element)?.attributes).toEqual(expect.arrayContaining([...attributes]))
      const listed = attributes.map((name) => `\`${name}\``).join(', ')
      expect(guide).toContain(`| ${element} | ${listed} |`)
    }
  })
})

describe('an attribute of Dial that has no effect around its noun', () => {
  it.each([
    ['Conference', 'record="true"', '; write it on the <Conference>'],
    ['Conference', 'recordingStatusCallback="/told"', '; write it on the <Conference>'],
    ['Conference', 'callerId="+15550001111"', ''],
    ['Queue', 'callerId="+15550001111"', ''],
    ['Queue', 'referUrl="/refer"', ''],
    ['Application', 'timeout="10"', ''],
    ['Application', 'answerOnBridge="true"', ''],
  ])('is warned of in the event log: %s, %s', async (noun, attribute, hint) => {
    const warnings = await warningsOf(`<Dial ${attribute}><${noun}>x</${noun}></Dial>`)
    expect(warnings).toContain(`<Dial>: ${attribute} has no effect around <${noun}>${hint}`)
  })

  it.each([
    '<Dial timeLimit="60" hangupOnStar="true" action="http://a.example/"><Conference>r</Conference></Dial>',
    '<Dial timeLimit="60" record="true" timeout="9" ringTone="de"><Queue>q</Queue></Dial>',
    '<Dial record="true" callerId="+15550001111"><Application>x</Application></Dial>',
    '<Dial record="true" callerId="+15550001111" timeout="9"><Number>+15551112222</Number></Dial>',
    '<Dial answerOnBridge="true" referUrl="http://a.example/"><Client>bob</Client></Dial>',
  ])('is not warned of where it has one: %s', async (text) => {
    expect((await warningsOf(text)).filter((one) => one.includes('no effect'))).toEqual([])
  })

  it('is one of the grammar, and in the guide', () => {
    const guide = readFileSync(GUIDE, 'utf8')
    for (const [noun, attributes] of INEFFECTIVE_AROUND) {
      expect(GRAMMAR.get('Dial')?.attributes).toEqual(expect.arrayContaining([...attributes]))
      const listed = attributes.map((name) => `\`${name}\``).join(', ')
      expect(guide).toContain(`| Dial around ${noun} | ${listed} |`)
    }
  })
})
