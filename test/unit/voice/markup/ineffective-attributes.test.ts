import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GRAMMAR } from '../../../../src/voice/markup/parse/grammar.js'
import { INEFFECTIVE_ATTRIBUTES } from '../../../../src/voice/markup/parse/ineffective-attributes.js'
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
    expect(await warningsOf('<Gather/><Dial/>')).toEqual([])
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
