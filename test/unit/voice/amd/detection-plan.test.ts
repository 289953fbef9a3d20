import { describe, expect, it } from 'vitest'
import { type DetectionRequest, planDetection } from '../../../../src/voice/amd/detection-plan.js'

describe('what a request says of machine detection', () => {
  it('is nothing when it does not ask for it', () => {
    expect(planDetection({})).toEqual({ state: 'off' })
    expect(planDetection({ machineDetection: '' })).toEqual({ state: 'off' })
  })

  it.each([
    ['Enable', 'enable'],
    ['DetectMessageEnd', 'detect-message-end'],
    ['detectmessageend', 'detect-message-end'],
  ])('%s takes the documented defaults', (machineDetection, mode) => {
    expect(planDetection({ machineDetection })).toEqual({
      state: 'on',
      params: {
        mode,
        timeoutMs: 30_000,
        speechThresholdMs: 2400,
        speechEndThresholdMs: 1200,
        silenceTimeoutMs: 5000,
      },
    })
  })

  it('refuses another mode', () => {
    expect(planDetection({ machineDetection: 'Always' })).toEqual({
      state: 'invalid',
      field: 'machineDetection',
    })
  })

  it.each<[keyof DetectionRequest, number, number]>([
    ['timeoutSeconds', 3, 60],
    ['speechThresholdMs', 1000, 6000],
    ['speechEndThresholdMs', 500, 5000],
    ['silenceTimeoutMs', 2000, 10_000],
  ])('%s goes from %d to %d', (field, min, max) => {
    const stateOf = (value: number) => planDetection({ machineDetection: 'Enable', [field]: value })
    expect(stateOf(min).state).toBe('on')
    expect(stateOf(max).state).toBe('on')
    for (const wrong of [min - 1, max + 1, min + 0.5, Number.NaN, -min])
      expect(stateOf(wrong), String(wrong)).toEqual({ state: 'invalid', field })
  })

  it('a parameter out of range is wrong without detection too', () => {
    expect(planDetection({ silenceTimeoutMs: 1 })).toEqual({
      state: 'invalid',
      field: 'silenceTimeoutMs',
    })
  })

  it('hands each parameter to its own place', () => {
    const plan = planDetection({
      machineDetection: 'Enable',
      timeoutSeconds: 10,
      speechThresholdMs: 1500,
      speechEndThresholdMs: 800,
      silenceTimeoutMs: 3000,
    })
    expect(plan).toMatchObject({
      params: {
        timeoutMs: 10_000,
        speechThresholdMs: 1500,
        speechEndThresholdMs: 800,
        silenceTimeoutMs: 3000,
      },
    })
  })
})
