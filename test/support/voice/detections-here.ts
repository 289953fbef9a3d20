import { createDetector } from '../../../src/voice/amd/amd.js'
import type { Detections } from '../../../src/voice/detection/detections.js'

/** Detects on the thread of the test, at once: its clock is the audio that the test plays. */
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
