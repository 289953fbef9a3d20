import { createDetector } from '../../../src/voice/amd/amd.js'
import type { Detections } from '../../../src/voice/detection/detections.js'

/** Detects synchronously on the test's thread; the played audio is its clock. */
export const detectionsHere: Detections = {
  open: (params, onEvents) => {
    const detector = createDetector(params)
    return {
      push: (samples) => {
        const events = detector.push(samples)
        if (events.length > 0) onEvents(events)
      },
      end: () => detector.end(),
    }
  },
}
