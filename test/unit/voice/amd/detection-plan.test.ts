import { describe, expect, it } from 'vitest'
import { DETECTION_RANGES, detectionParams } from '../../../../src/voice/amd/detection-plan.js'

const UNSAID = {
  timeoutSeconds: undefined,
  speechThresholdMs: undefined,
  speechEndThresholdMs: undefined,
  silenceTimeoutMs: undefined,
  correctionWindowMs: undefined,
}

describe('what a request says of machine detection', () => {
  it.each([
    ['Enable', 'enable'],
    ['DetectMessageEnd', 'detect-message-end'],
  ] as const)('%s takes the documented defaults', (wanted, mode) => {
    expect(detectionParams(wanted, UNSAID)).toEqual({
      mode,
      timeoutMs: 30_000,
      speechThresholdMs: 2400,
      speechEndThresholdMs: 1200,
      silenceTimeoutMs: 5000,
    })
  })

  it.each([
    ['timeoutSeconds', 3, 60],
    ['speechThresholdMs', 1000, 6000],
    ['speechEndThresholdMs', 500, 5000],
    ['silenceTimeoutMs', 2000, 10_000],
    ['correctionWindowMs', 1000, 30_000],
  ] as const)('%s goes from %d to %d, as documented', (field, min, max) => {
    expect(DETECTION_RANGES[field]).toMatchObject({ min, max })
  })

  it('hands each parameter to its own place', () => {
    const tuning = {
      timeoutSeconds: 10,
      speechThresholdMs: 1500,
      speechEndThresholdMs: 800,
      silenceTimeoutMs: 3000,
      correctionWindowMs: 7000,
    }
    expect(detectionParams('Enable', tuning)).toMatchObject({
      timeoutMs: 10_000,
      speechThresholdMs: 1500,
      speechEndThresholdMs: 800,
      silenceTimeoutMs: 3000,
      correctionWindowMs: 7000,
    })
  })
})
